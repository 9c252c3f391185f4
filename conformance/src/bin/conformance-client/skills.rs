//! Scenarios about skills: nothing is read ahead, and what is not as it was said is refused.

use diglot::Error;
use diglot::error::SkillFault;

use crate::case::{Case, Failure, equal};

const SKILL: &str = "skill://pdf-processing/SKILL.md";

/// Lists the skills, and reads none.
pub(crate) async fn no_prefetch(case: Case) -> Result<(), Failure> {
    let client = case.connect(case.client()).await?;
    let skills = client.skills().list().await?;
    equal("how many skills are listed", &skills.len(), &1)?;
    client.close().await;
    Ok(())
}

/// Loads a skill whose digest is another.
pub(crate) async fn digest(case: Case) -> Result<(), Failure> {
    refuse(case, |fault| matches!(fault, SkillFault::Digest { .. })).await
}

/// Loads a skill whose size is another.
pub(crate) async fn size(case: Case) -> Result<(), Failure> {
    refuse(case, |fault| matches!(fault, SkillFault::Size { .. })).await
}

/// Loads a skill whose frontmatter is another.
pub(crate) async fn frontmatter(case: Case) -> Result<(), Failure> {
    refuse(case, |fault| matches!(fault, SkillFault::Frontmatter { member } if member == "description")).await
}

/// Loads a skill as a host would: only where it is what was said, the file that it refers to is read too.
async fn refuse(case: Case, is_wanted: fn(&SkillFault) -> bool) -> Result<(), Failure> {
    let client = case.connect(case.client()).await?;
    let skills = client.skills();
    let list = skills.list().await?;
    let skill = list.find(SKILL).ok_or("the skill is not listed")?;
    let fault = match skills.load(skill).await {
        Ok(_) => {
            skills.read(skill, "references/FORMS.md").await?;
            return Err("the skill was accepted".into());
        }
        Err(Error::Skill(refused)) => refused.fault,
        Err(error) => return Err(error.into()),
    };
    client.close().await;
    match is_wanted(&fault) {
        true => Ok(()),
        false => Err(format!("the skill was refused for {fault:?}").into()),
    }
}
