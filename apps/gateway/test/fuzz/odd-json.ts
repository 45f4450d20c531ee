import fc from 'fast-check'
import { codePoint } from '../kit/code-point.ts'
import { type Node, replaceAt, sizeOf } from './json-text.ts'

const LONG = 20_000
/** Deeper than any body may be. */
const DEPTH_MAX = 600

/** Texts that often break programs. */
export const oddText = fc.oneof(
  { weight: 2, arbitrary: fc.string({ unit: codePoint, maxLength: 40 }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '',
      ' ',
      '\u0000',
      'a\u0000b',
      '\ud800',
      '\udc00\ud800',
      '\ufeff',
      '\u202e',
      '\u2028',
      'İ',
      'ſ',
      'ﬁ',
      'é'.normalize('NFD'),
      '👩‍👩‍👧‍👦',
      '１２３',
      '٣',
      '\u0301'.repeat(200),
      '%',
      '_',
      '%00',
      '%ff',
      '\\',
      "'",
      '"',
      "' or 1=1 --",
      '$1',
      '{{7*7}}',
      '<script>alert(1)</script>',
      '../../etc/passwd',
      '\\u0000',
      '\r\nset-cookie: a=b',
      '\n{"level":"error","msg":"forged"}',
      '\u001b[31mred',
      '\u0007',
      '\u0085',
      'true',
      'null',
      'undefined',
      'NaN',
      '[object Object]',
      '__proto__',
      'constructor',
      'toString',
      'then',
      '1e3',
      '-0',
      '0x10',
      ' 1',
      '1_000',
      '0.0000001',
      '999999999999.999999',
      '1000000000000',
      '1,5',
      '+1',
      '2026-02-30',
      '2026-11-21T25:00:00Z',
      '+275760-09-13T00:00:00.001Z',
      '0000-01-01T00:00:00Z',
      '1e18',
      'http://127.0.0.1:9/',
      'http://[::ffff:127.0.0.1]/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      '//x',
      '0x0000000000000000000000000000000000000000',
      `0x${'f'.repeat(64)}`,
      'a@b',
      'cred_x',
      'svc_',
      'inv_%',
      'a'.repeat(LONG),
      '\u{1f600}'.repeat(LONG / 2),
      '('.repeat(LONG),
      '%'.repeat(LONG),
    ),
  },
)

/** Valid numbers, not all of which fit a double. */
const oddNumber = fc.oneof(
  fc.constantFrom(
    '0',
    '-0',
    '-1',
    '0.1',
    '1.5',
    '1E+2',
    '1e400',
    '-1e400',
    '1e-400',
    '9007199254740993',
    '2147483648',
    '-2147483649',
    '9223372036854775808',
    '18446744073709551616',
    '1.0000000000000000001',
    '9'.repeat(300),
  ),
  fc.integer().map(String),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map(value => JSON.stringify(value)),
)

const nested = (open: string, close: string) =>
  fc.integer({ min: 1, max: DEPTH_MAX }).map(depth => `${open.repeat(depth)}1${close.repeat(depth)}`)

/** Values that almost no schema of ours allows. */
const oddValue: fc.Arbitrary<Node> = fc.oneof(
  { weight: 4, arbitrary: oddText.map(text => ({ raw: JSON.stringify(text) })) },
  { weight: 3, arbitrary: oddNumber.map(raw => ({ raw })) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(
        'null',
        'true',
        'false',
        '[]',
        '{}',
        '[null]',
        '[[]]',
        '{"":{}}',
        '{"length":-1}',
        '{"then":1}',
        '{"__proto__":{"a":1}}',
        '{"constructor":{"prototype":{"a":1}}}',
        '{"toString":null}',
        '{"$ref":"#"}',
        '{"a":1,"a":2}',
        '[1,1,1,1,1,1,1,1,1,1]',
        `[${'0,'.repeat(LONG)}0]`,
        '',
        'undefined',
        'NaN',
        '01',
        "'a'",
        '"\t"',
        '"\\ud800"',
        '"\\u0000"',
        '"\\x41"',
        '1 2',
        '{"a":1,}',
      )
      .map(raw => ({ raw })),
  },
  { weight: 1, arbitrary: fc.oneof(nested('[', ']'), nested('{"a":', '}')).map(raw => ({ raw })) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }).map(raw => ({ raw })) },
)

const kinds = ['replace', 'drop', 'twice', 'wrap', 'add'] as const
const mutation = fc.record({
  place: fc.nat({ max: 10_000 }),
  kind: fc.constantFrom(...kinds),
  value: oddValue,
  name: fc.oneof(fc.constantFrom('__proto__', 'constructor', 'status', 'ownerAddress', 'id', ''), oddText),
})
type Mutation = typeof mutation extends fc.Arbitrary<infer Value> ? Value : never

function mutated(node: Node, { place, kind, value, name }: Mutation): Node {
  return replaceAt(node, place % sizeOf(node), old => {
    if (kind === 'drop') return []
    if (kind === 'twice') return [old, value]
    if (kind === 'wrap') return [{ items: [old] }]
    if (kind === 'add') return 'members' in old ? [{ members: [...old.members, [name, value]] }] : [value]
    return [value]
  })
}

/** Generates a value with up to three faults; sometimes none. */
export function spoiled(values: fc.Arbitrary<Node>): fc.Arbitrary<Node> {
  return fc
    .tuple(values, fc.array(mutation, { maxLength: 3 }))
    .map(([node, mutations]) => mutations.reduce(mutated, node))
}
