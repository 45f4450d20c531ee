/** Words that refer to the operator anywhere in a name. */
const STAFF = [
  'admin',
  'admins',
  'administrator',
  'administrators',
  'administration',
  'moderator',
  'moderators',
  'official',
  'staff',
  'support',
  'helpdesk',
  'sysadmin',
  'superuser',
]
/** Words that do so only if the name contains no others: `The Team` poses as staff, `Ada's team` does not. */
const OFFICES = [
  'the',
  'our',
  'team',
  'security',
  'system',
  'help',
  'mod',
  'mods',
  'root',
  'owner',
  'operator',
  'service',
  'services',
  'customer',
  'desk',
  'center',
  'account',
  'accounts',
  'billing',
  'payments',
  'compliance',
  'trust',
  'safety',
  'abuse',
  'info',
  'contact',
  'notice',
  'announcements',
  'webmaster',
  'postmaster',
]
const OPERATOR = 'farebox'

/** Letters of other alphabets, small capitals and letters with strokes, mapped to the Latin letter they look like. */
const LOOK_ALIKES = new Map(
  Object.entries({
    a: 'аαᴀɑ',
    b: 'вβьᴃʙ',
    c: 'сᴄϲ',
    d: 'ԁđðᴅ',
    e: 'еєεᴇɛ',
    f: 'ғꜰƒ',
    g: 'ցɡɢ',
    h: 'нһհʜ',
    i: 'іιıɩɪլӏʟłℓ',
    j: 'јᴊ',
    k: 'кκᴋ',
    m: 'мᴍ',
    n: 'пηոɴ',
    o: 'оοσօøᴏ',
    p: 'рρᴘ',
    r: 'гʀ',
    s: 'ѕꜱ',
    t: 'тτᴛ',
    u: 'υսᴜʋ',
    v: 'νѵᴠ',
    w: 'ѡωᴡ',
    x: 'хχ',
    y: 'уγүʏ',
    z: 'ᴢ',
  }).flatMap(([latin, others]) => [...others].map(other => [other, latin] as const)),
)
/** Digits and signs used in place of letters. */
const SIGNS = new Map(
  ['0o', '1i', '3e', '4a', '5s', '7t', '8b', '$s', '@a', '!i', '|i'].map(pair => [pair[0], pair[1]] as const),
)
/** First letters of the enclosed alphabets that Unicode's compatibility form does not fold: negative ones and flags. */
const ALPHABETS = [0x1f150, 0x1f170, 0x1f1e6]

/**
 * Returns true if a username poses as the operator of the gateway or its staff: `Farebox`, `Support`, `Ada (admin)`,
 * `S e c u r i t y  T e a m`, also with look-alike letters or digits. English words only.
 */
export function posesAsStaff(username: string): boolean {
  const shown = latinOf(username)
  return [shown, withLetters(shown)].some(text => {
    const words = wordsOf(text)
    const whole = fold(words.join(''))
    const hasNoOther = ONLY_STAFF.test(whole) || (words.length > 0 && words.every(isOfStaff))
    return hasNoOther || whole.includes(OPERATOR) || words.some(isStaffWord)
  })
}

const ONLY_STAFF = new RegExp(`^(?:${[...STAFF, ...OFFICES].map(fold).join('|')})+$`)
const STAFF_WORDS = new Set(STAFF.map(fold))
const isOfStaff = (word: string) => ONLY_STAFF.test(fold(word))
const isStaffWord = (word: string) => STAFF_WORDS.has(fold(word))

/** Replaces look-alikes with Latin letters and removes accents. */
function latinOf(text: string): string {
  const plain = [...text].map(letterOf).join('')
  return [...plain.normalize('NFKD').replaceAll(/\p{M}/gu, '')]
    .map(each => LOOK_ALIKES.get(each) ?? upperOf(each) ?? each)
    .join('')
}

/** Keeps the case of a look-alike capital, as a capital starts a word. */
function upperOf(character: string): string | undefined {
  return LOOK_ALIKES.get(character.toLowerCase())?.toUpperCase()
}

function letterOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const first = ALPHABETS.find(start => code >= start && code < start + 26)
  return first === undefined ? character : String.fromCodePoint(97 + code - first)
}

function withLetters(text: string): string {
  return [...text].map(each => SIGNS.get(each) ?? each).join('')
}

/** Splits a name into words, at characters other than letters and before a capital that follows a small letter. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter(word => word !== '')
}

/** Folds characters that look the same: i and l, m and rn, w and vv, repeated letters. */
function fold(word: string): string {
  return word
    .replaceAll('l', 'i')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll(/(.)\1+/gu, '$1')
}
