//! Named groups of characters: those of Perl, of POSIX, and of Unicode that Go knows.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange, HirKind};

/// A set of ranges.
pub(super) fn ranges(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|&(start, end)| ClassUnicodeRange::new(start, end)))
}

const DIGIT: &[(char, char)] = &[('0', '9')];
const WORD: &[(char, char)] = &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];

/// The group of `\d`, `\s` or `\w`.
pub(super) fn perl(letter: char) -> Option<&'static [(char, char)]> {
    Some(match letter {
        'd' => DIGIT,
        's' => &[('\t', '\n'), ('\u{c}', '\r'), (' ', ' ')],
        'w' => WORD,
        _ => return None,
    })
}

/// The group of a name such as `alpha`.
pub(super) fn posix(name: &str) -> Option<&'static [(char, char)]> {
    Some(match name {
        "alnum" => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
        "alpha" => &[('A', 'Z'), ('a', 'z')],
        "ascii" => &[('\0', '\u{7f}')],
        "blank" => &[('\t', '\t'), (' ', ' ')],
        "cntrl" => &[('\0', '\u{1f}'), ('\u{7f}', '\u{7f}')],
        "digit" => DIGIT,
        "graph" => &[('!', '~')],
        "lower" => &[('a', 'z')],
        "print" => &[(' ', '~')],
        "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "space" => &[('\t', '\r'), (' ', ' ')],
        "upper" => &[('A', 'Z')],
        "word" => WORD,
        "xdigit" => &[('0', '9'), ('A', 'F'), ('a', 'f')],
        _ => return None,
    })
}

/// The group of a Unicode name in `\p{…}`: a category, its long name, a script, or one of a few special names. As in Go
/// from 1.25 on, letter case, blanks, `_` and `-` do not count.
pub(super) fn unicode(name: &str) -> Option<ClassUnicode> {
    if name.is_empty() || !name.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b' ' | b'_' | b'-')) {
        return None;
    }
    let loose = |it: &str| -> String {
        it.chars().filter(char::is_ascii_alphanumeric).map(|it| it.to_ascii_lowercase()).collect()
    };
    let wanted = loose(name);
    let all = || ranges(&[('\0', char::MAX)]);
    match wanted.as_str() {
        "any" => return Some(all()),
        "ascii" => return Some(ranges(&[('\0', '\u{7f}')])),
        "assigned" => {
            let mut class = table("Cn")?;
            class.negate();
            return Some(class);
        }
        // No text holds a surrogate.
        "cs" | "surrogate" => return Some(ClassUnicode::empty()),
        "lc" | "casedletter" => {
            let mut class = table("Lu")?;
            class.union(&table("Ll")?);
            class.union(&table("Lt")?);
            return Some(class);
        }
        _ => {}
    }
    let category =
        CATEGORIES.iter().find(|(short, long)| loose(short) == wanted || long.split(' ').any(|it| it == wanted));
    if let Some((short, _)) = category {
        return table(short);
    }
    SCRIPTS.split_ascii_whitespace().find(|it| loose(it) == wanted).and_then(|it| table(&format!("Script={it}")))
}

/// A table of the library.
fn table(name: &str) -> Option<ClassUnicode> {
    let hir = regex_syntax::parse(&format!("\\p{{{name}}}")).ok()?;
    match hir.kind() {
        HirKind::Class(regex_syntax::hir::Class::Unicode(class)) => Some(class.clone()),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            Some(ClassUnicode::new(text.chars().map(|it| ClassUnicodeRange::new(it, it))))
        }
        _ => None,
    }
}

/// The categories, with their long names without blanks.
const CATEGORIES: &[(&str, &str)] = &[
    ("C", "other"),
    ("Cc", "control cntrl"),
    ("Cf", "format"),
    ("Cn", "unassigned"),
    ("Co", "privateuse"),
    ("L", "letter"),
    ("Ll", "lowercaseletter"),
    ("Lm", "modifierletter"),
    ("Lo", "otherletter"),
    ("Lt", "titlecaseletter"),
    ("Lu", "uppercaseletter"),
    ("M", "mark combiningmark"),
    ("Mc", "spacingmark"),
    ("Me", "enclosingmark"),
    ("Mn", "nonspacingmark"),
    ("N", "number"),
    ("Nd", "decimalnumber digit"),
    ("Nl", "letternumber"),
    ("No", "othernumber"),
    ("P", "punctuation punct"),
    ("Pc", "connectorpunctuation"),
    ("Pd", "dashpunctuation"),
    ("Pe", "closepunctuation"),
    ("Pf", "finalpunctuation"),
    ("Pi", "initialpunctuation"),
    ("Po", "otherpunctuation"),
    ("Ps", "openpunctuation"),
    ("S", "symbol"),
    ("Sc", "currencysymbol"),
    ("Sk", "modifiersymbol"),
    ("Sm", "mathsymbol"),
    ("So", "othersymbol"),
    ("Z", "separator"),
    ("Zl", "lineseparator"),
    ("Zp", "paragraphseparator"),
    ("Zs", "spaceseparator"),
];

/// The scripts by their long names; Go knows no others.
const SCRIPTS: &str = "Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki \
    Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Chorasmian Common \
    Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan \
    Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Han Hangul Hanifi_Rohingya Hanunoo \
    Hatran Hebrew Hiragana Imperial_Aramaic Inherited Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana \
    Kawi Kayah_Li Kharoshthi Khitan_Small_Script Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian \
    Mahajani Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive \
    Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa Nko Nushu \
    Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian \
    Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician \
    Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo \
    Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan \
    Tifinagh Tirhuta Toto Ugaritic Vai Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square";
