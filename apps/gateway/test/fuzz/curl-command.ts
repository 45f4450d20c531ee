import fc from 'fast-check'
import { oddText } from './odd-json.ts'

/** Secrets that no command may contain. */
export const SECRET = 'sk-live-0123456789abcdefghij'

const quoted = (text: string) =>
  fc.constantFrom(
    text,
    `'${text.replaceAll("'", `'\\''`)}'`,
    JSON.stringify(text),
    `$'${text.replaceAll("'", "\\'")}'`,
  )
const word = fc
  .oneof(
    fc.constantFrom(
      'https://api.example/v1',
      'http://127.0.0.1:9/x?key=1',
      'api.example/a b',
      'file:///etc/passwd',
      '-',
      '{"a":1}',
      '{"a":',
      '@/etc/passwd',
      'a=b&c=d',
      'x: y',
      'Authorization: Bearer x',
      `X-Api-Key: ${SECRET}`,
      'POST',
      'DELETE',
      'TRACE',
      'user:pass',
      '9999999999',
      '-1',
      '$HOME',
      '`id`',
      '$(id)',
      '*',
    ),
    oddText,
  )
  .chain(quoted)
const option = fc.constantFrom(
  '-X',
  '-H',
  '-d',
  '--data-raw',
  '--data-binary',
  '--data-urlencode',
  '--json',
  '-G',
  '-u',
  '-F',
  '-o',
  '-k',
  '--url',
  '-m',
  '--max-time',
  '-A',
  '-b',
  '-x',
  '--proxy',
  '-T',
  '-K',
  '--next',
  '-',
  '--',
  '--é',
  '-XPOST',
)
const glue = fc.constantFrom(' ', ' ', ' ', '\t', ' \\\n', ' ^\r\n', '; ', ' | ', ' && ', '\n', '=', '')
/** Generates `curl` commands, most of them unusual, some with {@link SECRET}. */
export const commands = fc
  .array(fc.tuple(fc.oneof(option, word), glue), { maxLength: 14 })
  .map(parts => `curl ${parts.map(pair => pair.join('')).join('')}`)
