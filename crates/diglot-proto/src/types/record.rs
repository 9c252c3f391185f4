//! The macros that turn a table of members into a type: its struct, its builder, its reader and its writer.
//!
//! A row of [`record!`] is `kind field: Type as Shape = "wireName";`. The kind says what a missing member and one of
//! another shape mean, and whether it is always written:
//!
//! | kind       | missing or `null` | of another shape | written              |
//! |------------|-------------------|------------------|----------------------|
//! | `required` | fault             | fault            | always               |
//! | `expected` | default           | fault            | always               |
//! | `lenient`  | default           | default          | always               |
//! | `optional` | absent            | absent           | where present        |
//! | `checked`  | absent            | fault            | where present        |
//! | `list`     | empty             | empty            | unless it is empty   |
//! | `flag`     | false             | false            | where it is true     |
//!
//! The first three are the arguments of `new`; the others have a builder method. `with` adds what many types share:
//! `meta` (`_meta`), `page` (`nextCursor`), `cache` (`ttlMs` and `cacheScope`), `result` (a `resultType` that is passed
//! over, since the exchange has judged it and the server's answer writes it), `raw` (the text as it came) and `left_out`
//! (what the reader had to leave out of the lists).

/// Makes a type of a table of members.
macro_rules! record {
    ($(#[$about:meta])* $name:ident { $($rows:tt)* } $(with $($mark:ident),+)?) => {
        record!(@marks [$(#[$about])*] $name [$($rows)*] [] [] $($($mark)+)?);
    };
    (@marks $about:tt $name:ident [$($rows:tt)*] $passed:tt $kept:tt meta $($rest:ident)*) => {
        record!(@marks $about $name [$($rows)*
            /// What the message says about itself, an object (`_meta`).
            optional meta: Box<serde_json::value::RawValue> as AnyObject = "_meta";
        ] $passed $kept $($rest)*);
    };
    (@marks $about:tt $name:ident [$($rows:tt)*] $passed:tt $kept:tt page $($rest:ident)*) => {
        record!(@marks $about $name [$($rows)*
            /// The cursor of the next page, where there is one.
            optional next_cursor: String = "nextCursor";
        ] $passed $kept $($rest)*);
    };
    (@marks $about:tt $name:ident [$($rows:tt)*] $passed:tt $kept:tt cache $($rest:ident)*) => {
        record!(@marks $about $name [$($rows)*
            /// How long the result stays fresh, in milliseconds; modern results have it.
            optional ttl_ms: u64 = "ttlMs";
            /// How far the result may be shared; modern results have it.
            optional cache_scope: crate::types::CacheScope = "cacheScope";
        ] $passed $kept $($rest)*);
    };
    (@marks $about:tt $name:ident $rows:tt [$($passed:literal)*] $kept:tt result $($rest:ident)*) => {
        record!(@marks $about $name $rows [$($passed)* "resultType"] $kept $($rest)*);
    };
    (@marks $about:tt $name:ident $rows:tt $passed:tt [$($kept:tt)*] raw $($rest:ident)*) => {
        record!(@marks $about $name $rows $passed [$($kept)*
            /// The whole object as it came; nothing where it was made here. It is not written.
            raw: Option<Box<serde_json::value::RawValue>> = keep_raw;
        ] $($rest)*);
    };
    (@marks $about:tt $name:ident $rows:tt $passed:tt [$($kept:tt)*] left_out $($rest:ident)*) => {
        record!(@marks $about $name $rows $passed [$($kept)*
            /// The items of lists that could not be read, with the reason. They are not written.
            left_out: Vec<crate::types::LeftOut> = keep_report;
        ] $($rest)*);
    };
    (@marks
        [$(#[$about:meta])*] $name:ident
        [
            $([$tag:literal = $tag_word:literal])?
            $($(#[$doc:meta])* $kind:ident $field:ident: $type:ty $(as $shape:ident)? = $wire:literal;)*
        ]
        [$($passed:literal)*]
        [$($(#[$kept_doc:meta])* $kept:ident: $kept_type:ty = $keep:ident;)*]
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub struct $name {
            $($(#[$doc])* pub $field: field!(@type $kind $type),)*
            $($(#[$kept_doc])* pub $kept: $kept_type,)*
            /// The members that this type does not know, as they came.
            pub extra: crate::types::Members,
        }

        constructor!($name [] [] [$($kept)*] $($kind $field: $type = $wire,)*);

        impl $name {
            $(field!(@builder $kind $field: $type, $wire);)*

            /// Reads it leniently: an odd member that is not required reads as absent, an unknown one is kept.
            ///
            /// # Errors
            ///
            /// [`Fault`](crate::types::Fault) names the member without which it is of no use.
            pub fn read(text: &serde_json::value::RawValue) -> Result<Self, crate::types::Fault> {
                use crate::types::shape;
                let object = crate::object::Object::read(text).ok_or(crate::types::Fault::NOT_AN_OBJECT)?;
                let mut report: Vec<crate::types::LeftOut> = Vec::new();
                let mut extra = crate::types::Members::new();
                $(let mut $field = None;)*
                for (key, value) in object.iter() {
                    match key {
                        $($wire => {
                            $field = <field!(@shape $($shape)?) as shape::Shape<$type>>::read(value, &mut report);
                        })*
                        $($tag => {})?
                        $($passed => {})*
                        _ => extra.append(key, value),
                    }
                }
                extra.settle();
                Ok(Self {
                    $($field: field!(@take $kind ($($shape)?) $field, object, $wire),)*
                    $($kept: shape::$keep(text, &mut report),)*
                    extra,
                })
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use crate::types::shape::Shape as _;
                let mut map = serializer.serialize_map(None)?;
                $(serde::ser::SerializeMap::serialize_entry(&mut map, $tag, $tag_word)?;)?
                $(field!(@write $kind ($($shape)?) self.$field, $wire, map);)*
                self.extra.write(&mut map)?;
                serde::ser::SerializeMap::end(map)
            }
        }

        impl crate::types::shape::Field for $name {
            const MEMBERS: &'static [crate::types::shape::Member] = &[
                $(crate::types::shape::Member::new($tag, &[]),)?
                $(crate::types::shape::Member::passed($passed),)*
                $(crate::types::shape::Member::of::<field!(@shape $($shape)?), $type>(stringify!($kind), $wire),)*
            ];

            fn read_field(
                raw: &serde_json::value::RawValue,
                _: &mut Vec<crate::types::LeftOut>,
            ) -> Result<Self, crate::types::Fault> {
                Self::read(raw)
            }
        }
    };
}

/// What one row of a record becomes, by its kind.
macro_rules! field {
    (@type optional $type:ty) => { Option<$type> };
    (@type checked $type:ty) => { Option<$type> };
    (@type $kind:ident $type:ty) => { $type };

    (@shape) => { crate::types::shape::Plain };
    (@shape $shape:ident) => { crate::types::shape::$shape };

    (@builder optional $field:ident: $type:ty, $wire:literal) => {
        #[doc = concat!("Sets `", $wire, "`.")]
        #[must_use]
        pub fn $field(mut self, $field: impl Into<$type>) -> Self {
            self.$field = Some($field.into());
            self
        }
    };
    (@builder checked $field:ident: $type:ty, $wire:literal) => {
        field!(@builder optional $field: $type, $wire);
    };
    (@builder list $field:ident: $type:ty, $wire:literal) => {
        #[doc = concat!("Sets `", $wire, "`.")]
        #[must_use]
        pub fn $field(mut self, $field: impl Into<$type>) -> Self {
            self.$field = $field.into();
            self
        }
    };
    (@builder flag $field:ident: $type:ty, $wire:literal) => {
        #[doc = concat!("Sets `", $wire, "`.")]
        #[must_use]
        pub fn $field(mut self, $field: $type) -> Self {
            self.$field = $field;
            self
        }
    };
    (@builder $kind:ident $field:ident: $type:ty, $wire:literal) => {};

    (@take required $shape:tt $field:ident, $object:ident, $wire:literal) => {
        match $field {
            Some(value) => value,
            None => return Err(field!(@fault $object, $wire)),
        }
    };
    (@take expected ($($shape:ident)?) $field:ident, $object:ident, $wire:literal) => {
        match $field {
            Some(value) => value,
            None if $object.member($wire).is_none() => field!(@absent $($shape)?),
            None => return Err(field!(@fault $object, $wire)),
        }
    };
    (@take lenient ($($shape:ident)?) $field:ident, $object:ident, $wire:literal) => {
        $field.unwrap_or_else(|| field!(@absent $($shape)?))
    };
    (@take optional $shape:tt $field:ident, $object:ident, $wire:literal) => { $field };
    (@take checked $shape:tt $field:ident, $object:ident, $wire:literal) => {
        match $field {
            None if $object.member($wire).is_some() => return Err(field!(@fault $object, $wire)),
            field => field,
        }
    };
    (@take list $shape:tt $field:ident, $object:ident, $wire:literal) => { $field.unwrap_or_default() };
    (@take flag $shape:tt $field:ident, $object:ident, $wire:literal) => { $field.unwrap_or_default() };

    (@absent $($shape:ident)?) => { crate::types::shape::Absent::absent(<field!(@shape $($shape)?)>::default()) };
    (@fault $object:ident, $wire:literal) => {
        match $object.member($wire) {
            None => crate::types::Fault::new($wire, concat!("it has no ", $wire)),
            Some(_) => crate::types::Fault::new($wire, concat!("its ", $wire, " has another shape")),
        }
    };

    (@write optional ($($shape:ident)?) $self:ident.$field:ident, $wire:literal, $map:ident) => {
        if let Some(value) = &$self.$field {
            <field!(@shape $($shape)?)>::write(value, $wire, &mut $map)?;
        }
    };
    (@write checked $shape:tt $self:ident.$field:ident, $wire:literal, $map:ident) => {
        field!(@write optional $shape $self.$field, $wire, $map);
    };
    (@write list ($($shape:ident)?) $self:ident.$field:ident, $wire:literal, $map:ident) => {
        if !$self.$field.is_empty() {
            <field!(@shape $($shape)?)>::write(&$self.$field, $wire, &mut $map)?;
        }
    };
    (@write flag $shape:tt $self:ident.$field:ident, $wire:literal, $map:ident) => {
        if $self.$field {
            crate::types::shape::Plain::write(&true, $wire, &mut $map)?;
        }
    };
    (@write $kind:ident ($($shape:ident)?) $self:ident.$field:ident, $wire:literal, $map:ident) => {
        <field!(@shape $($shape)?)>::write(&$self.$field, $wire, &mut $map)?;
    };
}

/// Writes `new` with one argument for each row that is always written, and `Default` where there is none.
macro_rules! constructor {
    ($name:ident [$($argument:ident: $type:ty = $wire:literal,)+] [$($rest:ident)*] [$($kept:ident)*]) => {
        impl $name {
            #[doc = concat!("Makes one of", $(" `", $wire, "`",)+ ".")]
            pub fn new($($argument: impl Into<$type>),+) -> Self {
                Self {
                    $($argument: $argument.into(),)+
                    $($rest: Default::default(),)*
                    $($kept: Default::default(),)*
                    extra: Default::default(),
                }
            }
        }
    };
    ($name:ident [] [$($rest:ident)*] [$($kept:ident)*]) => {
        impl $name {
            /// Makes an empty one.
            pub fn new() -> Self {
                Self {
                    $($rest: Default::default(),)*
                    $($kept: Default::default(),)*
                    extra: Default::default(),
                }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }
    };
    ($name:ident [$($a:tt)*] [$($r:tt)*] $k:tt required $field:ident: $type:ty = $wire:literal, $($more:tt)*) => {
        constructor!($name [$($a)* $field: $type = $wire,] [$($r)*] $k $($more)*);
    };
    ($name:ident [$($a:tt)*] [$($r:tt)*] $k:tt expected $field:ident: $type:ty = $wire:literal, $($more:tt)*) => {
        constructor!($name [$($a)* $field: $type = $wire,] [$($r)*] $k $($more)*);
    };
    ($name:ident [$($a:tt)*] [$($r:tt)*] $k:tt lenient $field:ident: $type:ty = $wire:literal, $($more:tt)*) => {
        constructor!($name [$($a)* $field: $type = $wire,] [$($r)*] $k $($more)*);
    };
    ($name:ident [$($a:tt)*] [$($r:tt)*] $k:tt $kind:ident $field:ident: $type:ty = $wire:literal, $($more:tt)*) => {
        constructor!($name [$($a)*] [$($r)* $field] $k $($more)*);
    };
}

/// Makes an enum of words that keeps those it does not know.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant,)+
            /// A word that this crate does not know, as it came.
            Other(Box<str>),
        }

        impl $name {
            /// Returns the word on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)+
                    Self::Other(word) => word,
                }
            }
        }

        impl From<&str> for $name {
            fn from(word: &str) -> Self {
                match word {
                    $($word => Self::$variant,)+
                    _ => Self::Other(word.into()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl crate::types::shape::Field for $name {
            fn read_field(
                raw: &serde_json::value::RawValue,
                _: &mut Vec<crate::types::LeftOut>,
            ) -> Result<Self, crate::types::Fault> {
                let word = crate::jsonrpc::peek::text(raw).ok_or(crate::types::Fault::SHAPE)?;
                Ok(Self::from(&*word))
            }
        }
    };
}

/// Makes an enum of the types that a member tells apart; a word that nobody knows keeps its object as it came.
macro_rules! tagged {
    (
        $(#[$about:meta])*
        $name:ident by $tag:literal { $($(#[$doc:meta])* $variant:ident($inner:ty) $word:literal,)+ }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant($inner),)+
            /// One of a kind that this crate does not know, as it came.
            Other(Box<serde_json::value::RawValue>),
        }

        impl $name {
            #[doc = concat!("Reads one by its `", $tag, "`; one of an unknown kind is kept as it came.")]
            ///
            /// # Errors
            ///
            /// [`Fault`](crate::types::Fault) names what one of a known kind lacks.
            pub fn read(text: &serde_json::value::RawValue) -> Result<Self, crate::types::Fault> {
                let object = crate::object::Object::read(text).ok_or(crate::types::Fault::NOT_AN_OBJECT)?;
                let report = &mut Vec::new();
                match object.member($tag).and_then(crate::jsonrpc::peek::text).as_deref() {
                    $(Some($word) => crate::types::shape::Field::read_field(text, report).map(Self::$variant),)+
                    Some(_) => Ok(Self::Other(text.to_owned())),
                    None => Err(crate::types::Fault::new($tag, concat!("it has no ", $tag))),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(inner) => inner.serialize(serializer),)+
                    Self::Other(raw) => raw.serialize(serializer),
                }
            }
        }

        impl crate::types::shape::Field for $name {
            fn read_field(
                raw: &serde_json::value::RawValue,
                _: &mut Vec<crate::types::LeftOut>,
            ) -> Result<Self, crate::types::Fault> {
                Self::read(raw)
            }
        }

        $(impl From<$inner> for $name {
            fn from(inner: $inner) -> Self {
                Self::$variant(inner)
            }
        })+
    };
}
