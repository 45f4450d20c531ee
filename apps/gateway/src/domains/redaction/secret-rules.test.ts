import { english } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { findSecrets, TEXT_END } from './secret-rules.ts'

const words: ReadonlySet<string> = new Set(english)

/** Returns the secrets in a text, each as its kind and substring. */
const found = (text: string) =>
  findSecrets(text, words).map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`)

/** Returns a number of letters that match no prefix, after a digit. */
const x = (count: number) => `7${'x'.repeat(count - 1)}`

describe('keys and tokens', () => {
  test.each([
    'agt_',
    'psk_',
    'whsec_',
    'whsk_',
    'sigsec_',
    'AGT_',
    'sk-',
    'sk_',
    'rk-',
    'rk_',
    'pk-',
    'pk_',
    'ghp_',
    'gho_',
    'ghu_',
    'ghs_',
    'ghr_',
    'github_pat_',
    'glpat-',
    'xoxb-',
    'xoxp-',
    'xapp-',
    'AIza',
    'ya29.',
    'hf_',
    'gsk_',
    'xai-',
    'pplx-',
    'r8_',
    'SG.',
    'dop_v1_',
    'shpat_',
    'AGE-SECRET-KEY-1',
  ])('%s needs sixteen characters behind it', prefix => {
    expect(found(`see ${prefix}${x(16)}, please`)).toEqual([`credential ${prefix}${x(16)}`])
    expect(found(`${prefix}${x(40)}`)).toEqual([`credential ${prefix}${x(40)}`])
    expect(found(`see ${prefix}${x(15)}, please`)).toEqual([])
  })

  test('a percent-encoded character ends the word before a key', () => {
    expect(found(`key%20sk-${x(16)}%0Ask-${x(17)}`)).toEqual([
      `credential sk-${x(16)}`,
      `credential sk-${x(17)}`,
    ])
    expect(found(`Authorization%253A%2520Bearer%2520${x(16)}`)).toContain(`credential ${x(16)}`)
  })

  test.each(['AKIA', 'ASIA', 'AROA', 'AIDA'])('%s needs sixteen capitals or digits behind it', prefix => {
    expect(found(`see ${prefix}ABCDEFGHIJKLMN01.`)).toEqual([`credential ${prefix}ABCDEFGHIJKLMN01`])
    expect(found(`see ${prefix}ABCDEFGHIJKLMN0.`)).toEqual([])
    expect(found(`see ${prefix}ABCDEFGHIJKLmn01.`)).toEqual([])
  })

  test('npm_ needs thirty characters behind it', () => {
    expect(found(`npm_${x(30)}`)).toEqual([`credential npm_${x(30)}`])
    expect(found(`npm_${x(29)}`)).toEqual([])
  })

  test.each(['task-', 'disk_', 'XAKIA', 'char8_', 'xnpm_', '1ghp_'])(
    'do not begin within a word: %s',
    prefix => {
      expect(found(`${prefix}ABCDEFGHIJKLMN01ABCDEFGHIJKLMN01`)).toEqual([])
    },
  )

  test('include all characters and the padding of Base64', () => {
    expect(found(`whsec_ab+/_-abcdefghijkl== and`)).toEqual(['credential whsec_ab+/_-abcdefghijkl=='])
    expect(found(`whsec_abcdefghijklmnopq===`)).toEqual(['credential whsec_abcdefghijklmnopq=='])
    expect(found('sk-proj_a-b_c-d_e-f_g-h')).toEqual(['credential sk-proj_a-b_c-d_e-f_g-h'])
    expect(found('SG.a.b-c_d.e-f_g.h-i_j')).toEqual(['credential SG.a.b-c_d.e-f_g.h-i_j'])
  })

  test.each([
    ['with dashes', 'FBX-7K2M-9QXA-W3RD-0TZE-5HBN-C8VJ-1PGS'],
    ['with spaces', 'FBX 7K2M 9QXA W3RD 0TZE 5HBN C8VJ 1PGS'],
    ['without separators', 'FBX7K2M9QXAW3RD0TZE5HBNC8VJ1PGS'],
    ['in lower case', 'fbx-7k2m-9qxa-w3rd-0tze-5hbn-c8vj-1pgs'],
  ])('include a voucher code %s, and not one without its last group', (_, code) => {
    expect(found(`code ${code}!`)).toEqual([`credential ${code}`])
    expect(found(`code ${code.slice(0, -4)}!`)).toEqual([])
  })
})

describe('sessions', () => {
  test.each(['eyJ', 'eyA', 'ewo', 'ew0', 'ewk'])('that begin like a JSON object (%s) are found', head => {
    expect(found(`a ${head}abcdef.abcd.x b`)).toEqual([`jwt ${head}abcdef.abcd.x`])
    expect(found(`${head}ab-_ef.ab-_.`)).toEqual([`jwt ${head}ab-_ef.ab-_.`])
    expect(found(`${head}abcdefgh.abcdef.a.b.c`)).toEqual([`jwt ${head}abcdefgh.abcdef.a.b.c`])
  })

  test.each([
    ['with a head that is too short', 'eyJabcde.abcd.x'],
    ['with a body that is too short', 'eyJabcdef.abc.x'],
    ['of two parts', 'eyJabcdef.abcd'],
    ['within a word', 'keyJabcdef.abcd.x'],
    ['within a name', 'a-eyJabcdef.abcd.x'],
    ['with another beginning', 'eyKabcdef.abcd.x'],
  ])('%s are ignored', (_, text) => {
    expect(found(text)).toEqual([])
  })
})

describe('a named secret', () => {
  test.each([
    ['bearer abcdefghijklmno1', 'abcdefghijklmno1'],
    ['BEARER    1bcd+/._~=-hijkl', '1bcd+/._~=-hijkl'],
    ['Authorization: abcdefg1', 'abcdefg1'],
    ['authorization=ABCDEFGH', 'ABCDEFGH'],
    ['AUTHORIZATION : abc+/._~=-', 'abc+/._~=-'],
    [`"authorization": "Basic YWRhOmFk"`, 'YWRhOmFk'],
    [`'authorization' = 'token abcdefg1'`, 'abcdefg1'],
    ['Authorization:   Token    abcdefg1', 'abcdefg1'],
    ['authorization: bearer abcdefg1', 'abcdefg1'],
    ['authorization: Bearer abcdefg1', 'abcdefg1'],
    ['authorization: basic abcdefg1', 'abcdefg1'],
    ['authorization: Basic    abcdefg1', 'abcdefg1'],
    ['authorization: Bearer    abcdefg1', 'abcdefg1'],
    ['password: abcd', 'abcd'],
    ['Passwd=abcd', 'abcd'],
    ['passphrase: abcd', 'abcd'],
    ['pwd = abcd', 'abcd'],
    ['mnemonic: abcd', 'abcd'],
    ['client_secret=abcd', 'abcd'],
    ['client secret=abcd', 'abcd'],
    ['clientSecret=abcd', 'abcd'],
    ['secret-access-key: abcd', 'abcd'],
    ['secretAccessKey: abcd', 'abcd'],
    ['secret key: abcd', 'abcd'],
    ['secretkey: abcd', 'abcd'],
    ['private key: abcd', 'abcd'],
    ['privateKey: abcd', 'abcd'],
    ['api_key: abcd', 'abcd'],
    ['apikey: abcd', 'abcd'],
    [`{"apiKey":"abcd","on":1}`, 'abcd'],
    [`password   :   'abcd'`, 'abcd'],
    ['password: ab\u00e9\u20ac;cd', 'ab\u00e9\u20ac'],
    ['https://ada:love@host', 'ada:love'],
    ['redis://:love@host', ':love'],
    ['password: [redacted:jwt]x]', '[redacted:jwt]x]'],
  ])('in %j is %s', (text, secret) => {
    expect(found(text)).toEqual([`credential ${secret}`])
  })

  test.each([
    ['a bearer without a digit', 'bearer abcdefghijklmnop'],
    ['a short bearer', 'bearer abcdefghijklmn1'],
    ['a distant bearer', 'bearer     abcdefghijklmno1'],
    ['a word about authorization', 'authorization: required'],
    ['a short authorization', 'authorization: abcdef1'],
    ['an authorization without a separator', 'authorization abcdefg1'],
    ['a distant authorization', 'authorization:    abcdefg1'],
    ['a short password', 'password: abc'],
    ['a password without a separator', 'password abcd'],
    ['a distant password', 'password:    abcd'],
    ['a host with a port', 'https://host:8402/a@b'],
    ['a user without a password', 'https://ada@host'],
    ['the replacement of a password', 'password: [redacted:credential], changed'],
    ['the replacement of a user', 'https://[redacted:credential]@host'],
  ])('%s is not one', (_, text) => {
    expect(found(text)).toEqual([])
  })
})

describe('mail addresses', () => {
  test.each([
    ['ada@example.co', 'ada@example.co'],
    ['to ada.b+c_d%e@mail.example.com.', 'ada.b+c_d%e@mail.example.com'],
    ['<ada@example.com>', 'ada@example.com'],
    ['ada@example.com--', 'ada@example.com'],
    ['ada%40example.com', 'ada%40example.com'],
    ['"ada love"@example.com', '"ada love"@example.com'],
    ['say "ada love"@example.com', '"ada love"@example.com'],
    ['j\u00fcrgen@m\u00fcller.example', 'j\u00fcrgen@m\u00fcller.example'],
    ['\u{1f600}@example.com', '\u{1f600}@example.com'],
    ['ada@\u{1f600}.example', 'ada@\u{1f600}.example'],
    ['ada@example.com@example.org', 'ada@example.com'],
    [`${'z'.repeat(200)}@example.com`, `${'z'.repeat(128)}@example.com`],
    ['ada [at] example [dot] com', 'ada [at] example [dot] com'],
    ['ada(at)example(dot)com', 'ada(at)example(dot)com'],
    ['ada [at] example [ dot ] com', 'ada [at] example [ dot ] com'],
    ['ada@example.xn--p1ai', 'ada@example.xn--p1ai'],
    ['ada ( at ) mail . example . com', 'ada ( at ) mail . example . com'],
    ['a.b+c-d at x'.replace(' at ', ' [AT] ').concat('.org'), 'a.b+c-d [AT] x.org'],
  ])('in %.40s: %.40s', (text, mail) => {
    expect(found(text)).toEqual([`email ${mail}`])
  })

  test('are found separately', () => {
    expect(found('a@b.com, c@d.org')).toEqual(['email a@b.com', 'email c@d.org'])
  })

  test.each([
    '@example.com',
    ' @example.com',
    'ada@',
    'ada@example',
    'ada@example.c',
    'ada@.com',
    'a@1.2.3',
    'pino@10.beta.4',
    'pino@10.beta.x',
    'a "@example.com',
    'say "ada" @example.com',
    'ada at example dot com',
    'ada [at] example',
    `a@${'z'.repeat(260)}.com`,
  ])('are not found in %s', text => {
    expect(found(text)).toEqual([])
  })
})

describe('keys in hex', () => {
  const hex = (count: number) => 'a1'.repeat(count).slice(0, count)

  test.each([
    [hex(64), 'privatekey'],
    [`0x${hex(64)}`, 'privatekey'],
    [`0X${hex(64).toUpperCase()}`, 'privatekey'],
    [hex(127), 'privatekey'],
    [hex(128), 'signature'],
    [`0x${hex(130)}`, 'signature'],
  ])('%s is found whole, as a %s', (text, kind) => {
    expect(found(`it is ${text}.`)).toEqual([`${kind} ${text}`])
  })

  test('of fewer than 64 digits are ignored', () => {
    expect(found(`it is 0x${hex(63)}.`)).toEqual([])
  })

  test.each([
    'tx',
    'txn',
    'txs',
    'Block',
    'receipt',
    'transaction',
    'transactions',
    'hash',
    'hashes',
    'txid',
    'digest',
    'root',
    'nonce',
    'topic',
    'topics',
    'my_tx',
    'txHash',
  ])('of 64 digits with 0x are no secret behind %s', name => {
    expect(found(`${name}: 0x${hex(64)}`)).toEqual([])
    expect(found(`${name}${' '.repeat(24)}0x${hex(64)}`)).toEqual([])
    expect(found(`${name}${' '.repeat(25)}0x${hex(64)}`)).toHaveLength(1)
    expect(found(`${name}: ${hex(64)}`)).toHaveLength(1)
    expect(found(`${name}: 0x${hex(65)}`)).toHaveLength(1)
    expect(found(`${name}:\n0x${hex(64)}`)).toHaveLength(1)
    expect(found(`a\n${name}: 0x${hex(64)}`)).toEqual([])
  })

  test('are named on their own line, whatever the line before names', () => {
    expect(found(`my key\ntx: 0x${hex(64)}`)).toEqual([])
  })

  test('are not named by text within another secret or a replacement', () => {
    const token = 'whsec_IBUr4CuD2oCW7gf3s6VwoUfRSdNwVh4YuG9Tx9YWes='
    const key = `0x${hex(64)}`
    expect(found(`${token} ${key}`)).toEqual([`credential ${token}`, `privatekey ${key}`])
    expect(found(`tx ${token} ${key}`)).toHaveLength(2)
    expect(found(`${token} ${key} a@b.org`)).toHaveLength(3)
    expect(found(`tx@b.org ${key} ${token}`)).toHaveLength(3)
    expect(found(`tx [redacted:jwt] ${key}`)).toEqual([`privatekey ${key}`])
    expect(found(`${token}, of the tx ${key}`)).toEqual([`credential ${token}`])
    expect(found(`[redacted:privatekey] of the tx ${key}`)).toEqual([])
    // Where two secrets overlap, the text after them still serves as context.
    expect(found(`ftp://a@b.org:${x(9)}@host/tx/${key}`)).toEqual([
      `credential a@b.org:${x(9)}`,
      'email a@b.org',
    ])
    expect(found(`a@b.org tx ${key}, c@d.org and ${key}`)).toEqual([
      'email a@b.org',
      'email c@d.org',
      `privatekey ${key}`,
    ])
  })

  test.each(['ctx', 'unblock', 'hashing', 'rooted', 'it', ''])('are secrets behind %j', name => {
    expect(found(`${name}: 0x${hex(64)}`)).toHaveLength(1)
  })

  test.each(['key', 'priv', 'secret', 'seed', 'sign', 'mnemonic', 'wallet'])(
    'are keys behind %s, whatever else is named',
    name => {
      expect(found(`${name} of the tx: 0x${hex(64)}`)).toHaveLength(1)
      expect(found(`${name}${'.'.repeat(60)} tx: 0x${hex(64)}`)).toEqual([])
    },
  )
})

describe('card numbers', () => {
  /** Returns a number with a valid check digit. */
  const card = (digits: string) => {
    const sum = [...digits].reverse().reduce((total, digit, at) => {
      const value = at % 2 === 0 ? Number(digit) * 2 : Number(digit)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
    return `${digits}${(10 - (sum % 10)) % 10}`
  }
  const wrong = (number: string) => `${number.slice(0, -1)}${(Number(number.at(-1)) + 1) % 10}`

  test.each([
    '411111111111',
    '41111111111111',
    '411111111111111',
    '411111111111111111',
    '222300004841001',
    ...['378282246310005', '550000555555555', '601111111111111'].map(number => number.slice(0, -1)),
  ])('%s is found with its check digit, and not with another', digits => {
    expect(found(`card ${card(digits)}, paid`)).toEqual([`cardnumber ${card(digits)}`])
    expect(found(`card ${wrong(card(digits))}, paid`)).toEqual([])
  })

  test.each(['01111111111', '41111111111', '4111111111111111111'])(
    '%s with an impossible length is ignored',
    digits => {
      expect(found(card(digits))).toEqual([])
    },
  )

  test.each(['0', '1', '7', '8', '9'])('do not begin with %s', first => {
    expect(found(card(`${first}11111111111111`))).toEqual([])
  })

  test('are whole groups of digits, with at most two blanks or dashes in between', () => {
    expect(found('on 12 4111 1111 1111 1111 ok')).toEqual(['cardnumber 4111 1111 1111 1111'])
    expect(found('4111--1111- 1111  1111 22')).toEqual(['cardnumber 4111--1111- 1111  1111'])
    expect(found('4111 1111 1111   1111')).toEqual([])
    expect(found('124111111111111111')).toEqual([])
    expect(found('411111111111111122')).toEqual([])
    expect(found('4111 1111 1111 1111 5500 0055 5555 5559')).toContain('cardnumber 5500 0055 5555 5559')
  })
})

describe('seed phrases', () => {
  const phrase = (count: number, gap = ' ') => english.slice(100, 100 + count).join(gap)

  test('are twelve or more consecutive words of the list', () => {
    expect(found(`Zed ${phrase(12)} zed`)).toEqual([`seedphrase ${phrase(12)}`])
    expect(found(`${phrase(24)}!`)).toEqual([`seedphrase ${phrase(24)}`])
    expect(found(`zed ${phrase(11)} zed`)).toEqual([])
    expect(found(phrase(12).toUpperCase())).toEqual([`seedphrase ${phrase(12).toUpperCase()}`])
  })

  test('end at a word outside of the list, or at too wide a gap', () => {
    expect(found(`${phrase(6)} zed ${phrase(6)}`)).toEqual([])
    expect(found(`${phrase(12)} zed ${phrase(12)}`)).toHaveLength(2)
    const wide = (gap: number) => `${phrase(6)}${'.'.repeat(gap)}${phrase(6)}`
    expect(found(wide(24))).toHaveLength(1)
    expect(found(wide(25))).toEqual([])
    const [first, rest] = [english[100], english.slice(101, 112).join(' ')]
    expect(found(`${first}${'.'.repeat(24)}${rest}`)).toHaveLength(1)
    expect(found(`${first}${'.'.repeat(25)}${rest}`)).toEqual([])
    expect(found(`${phrase(12)}${'.'.repeat(25)}${phrase(3)}`)).toEqual([`seedphrase ${phrase(12)}`])
  })
})

describe('PEM', () => {
  const block = (name: string) => `-----BEGIN ${name}-----\nMC4C\n-----END ${name}-----`

  test('blocks are found separately and whole', () => {
    expect(found(`a ${block('PRIVATE KEY')} b ${block('RSA 2')} c`)).toEqual([
      `pem ${block('PRIVATE KEY')}`,
      `pem ${block('RSA 2')}`,
    ])
  })

  test('a block within a block is part of it', () => {
    const nested = `-----BEGIN A-----x${block('B')}`
    expect(found(`${nested} after`)).toEqual([`pem ${nested}`])
  })

  test('an unterminated block reaches to the end of the text, and so does the next', () => {
    expect(found('a -----BEGIN A-----\nMC4C')).toEqual(['pem -----BEGIN A-----\nMC4C'])
    const [first, second] = [`-----BEGIN A-----\nMC4C${TEXT_END}`, `-----BEGIN B-----\nMC4D`]
    expect(found(`${first} ${second}`)).toEqual(['pem -----BEGIN A-----\nMC4C', `pem ${second}`])
    expect(found(`${block('A')} ${second}`)).toEqual([`pem ${block('A')}`, `pem ${second}`])
  })

  test.each([
    '----BEGIN A----',
    '-----BEGIN -----',
    '-----BEGIN a-----',
    `-----BEGIN ${'A'.repeat(41)}-----`,
  ])('%s does not begin a block', text => {
    expect(found(text)).toEqual([])
  })

  test('labels may have forty characters', () => {
    expect(found(block('A'.repeat(40)))).toEqual([`pem ${block('A'.repeat(40))}`])
  })
})

describe('a disguised secret', () => {
  test.each([
    ['an ideographic full stop', 'ada@example\u3002com', 'email'],
    ['other kinds of dashes', '4111\u20111111\u20141111\u22121111', 'cardnumber'],
    ['other kinds of spaces', '4111\u00a01111\u30001111\u20091111', 'cardnumber'],
    ['digits of other scripts', '\u0664111 1111 1111 111\u0967', 'cardnumber'],
    ['bold digits', '\u{1d7d2}111 1111 1111 1111', 'cardnumber'],
    ['full-width letters', '\uff41\uff44\uff41@example.com', 'email'],
    ['ligatures', '\ufb01\ufb02@example.com', 'email'],
  ])('is found in place despite %s', (_, text, kind) => {
    expect(found(`a ${text} b`)).toEqual([`${kind} ${text}`])
  })

  test('includes the invisible characters within it, and none beside it', () => {
    expect(found('\u200bada\u200b@\u00adexample.com\u200b!')).toEqual(['email ada\u200b@\u00adexample.com'])
  })
})
