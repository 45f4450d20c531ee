import type { GatewayError } from '@farebox/wire/errors'
import { registerServiceBody } from '@farebox/wire/manifest'
import { assert, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codePoint } from '../../../test/kit/code-point.ts'
import { processorMs } from '../../../test/kit/processor-time.ts'
import { compilePayloadSchema } from '../services/schema/payload-schema.ts'
import { parseCurl } from './parse-curl.ts'
import { splitWords } from './shell-words-rules.ts'

type Manifest = {
  invoke: {
    method: string
    targets: { url: string }[]
    request: { body?: unknown; example?: unknown }
    timeoutMs?: number
  }
  upstreamHeaders?: Record<string, string>
} & Record<string, unknown>
const draft = (command: string) => {
  const { manifest, warnings, unsupported } = parseCurl(command)
  return {
    manifest: manifest as Manifest,
    warned: warnings.map(({ path }) => path),
    omitted: unsupported.map(({ option }) => option),
    warnings,
    unsupported,
  }
}
const refusalOf = (command: string): string => {
  try {
    parseCurl(command)
    return 'taken'
  } catch (error) {
    return (error as GatewayError).code
  }
}
const LONGEST = 65_536
const SECRET = 'sk-live-0123456789abcdefghij'

describe('the shell parser', () => {
  test.each<[string, string[]]>([
    [`a 'b c' "d e" f\\ g`, ['a', 'b c', 'd e', 'f g']],
    [`'it'\\''s' ""`, ["it's", '']],
    [`"a\\"b\\\\c\\$d\\n"`, ['a"b\\c$d\\n']],
    [`$'a\\'b\\n\\x41\\u00e9\\101\\q'`, ["a'b\nA\u00e9A\\q"]],
    ['a \\\n  b \\ \n c', ['a', 'b', 'c']],
    ['a\r\n  --b \\\r\n c', ['a', '--b', 'c']],
    ['a # b c', ['a']],
    ['a#b', ['a#b']],
    ['a ^\n b', ['a', 'b']],
    ['', []],
  ])('splits %j into %j', (text, words) => {
    expect(splitWords(text).words).toEqual(words)
  })

  test.each<[string, string[], string]>([
    [`a $HOME "\${x}"`, ['a', '$HOME', `\${x}`], 'variable'],
    ['a "`id`"', ['a', '`id`'], 'substitution'],
    ['a "$(id)"', ['a', '$(id)'], 'substitution'],
    ['a b; rm -rf /', ['a', 'b'], 'operator'],
    ['a b|tee c', ['a', 'b'], 'operator'],
    ['a > /etc/passwd', ['a'], 'operator'],
    ['a && b', ['a'], 'operator'],
    ['a ?b&c=d', ['a', '?b&c=d'], 'ampersand'],
    ['a\nb', ['a'], 'more_lines'],
  ])('expands and runs nothing in %j', (text, words, note) => {
    expect(splitWords(text)).toEqual({ words, notes: [note] })
  })

  test('parses or rejects pathological input of the maximum length in 200 ms', () => {
    const pieces = [
      '\\\n',
      '$(',
      '"a"',
      "'",
      "$'",
      '-',
      '--x ',
      '{[',
      '\n-',
      '& ',
      ' \t',
      '^\n',
      '#',
      '-d a=b ',
      '\n',
      '\\',
    ]
    for (const piece of pieces) {
      const text = `curl h.example ${piece.repeat(Math.floor(LONGEST / piece.length))}`.slice(0, LONGEST)
      const spent = processorMs(() => {
        expect(['taken', 'INVALID_PAYLOAD']).toContain(refusalOf(text))
      })
      expect(spent, piece).toBeLessThan(200)
    }
    const json = `curl h.example --json '${'[1,'.repeat(16_000)}'`
    expect(refusalOf(json)).toBe('taken')
    const deep = `curl h.example --json '${'['.repeat(32_000)}${']'.repeat(32_000)}'`
    expect(draft(deep).omitted).toEqual(['-d'])
    const fields = 'a=&'.repeat(21_800)
    for (const form of [`curl h.example -d '${fields}'`, `curl 'h.example/?${fields}'`])
      expect(processorMs(() => expect(refusalOf(form)).toBe('INVALID_PAYLOAD'))).toBeLessThan(200)
    expect(refusalOf(`curl h.example -d '${'a=b&'.repeat(1_000)}'`)).toBe('taken')
  })

  test('yields a draft or INVALID_PAYLOAD for any text', () => {
    assert(
      property(string({ maxLength: 200, unit: codePoint }), text => {
        for (const command of [text, `curl ${text}`, `curl https://a.example ${text}`]) {
          expect(['taken', 'INVALID_PAYLOAD']).toContain(refusalOf(command))
        }
      }),
      { numRuns: 150 },
    )
  })
})

describe('a draft', () => {
  test('of a JSON call has a method, target, schema and example', () => {
    const { manifest, warned, omitted } = draft(`curl -X POST 'https://api.weather.example/v1/now?units=c' \\
      -H 'Content-Type: application/json' -H 'X-Plan: gold' --max-time 7 --compressed -sS \\
      -d '{"city":"Lisbon","days":[1,2],"deep":{"on":true,"none":null},"mixed":[1,"a"]}'`)
    expect(manifest).toMatchObject({
      serviceName: 'weather.example now',
      serviceKind: 'api',
      priceModel: 'fixed',
      invoke: {
        method: 'POST',
        targets: [{ url: 'https://api.weather.example/v1/now?units=c', weight: 1 }],
        timeoutMs: 7_000,
        request: {
          body: {
            type: 'object',
            properties: {
              city: { type: 'string' },
              days: { type: 'array', items: { type: 'number' } },
              deep: { type: 'object', properties: { on: { type: 'boolean' }, none: {} } },
              mixed: { type: 'array', items: {} },
            },
          },
        },
      },
      upstreamHeaders: { 'x-plan': 'gold' },
    })
    expect(warned).toEqual(['invoke.request.body', 'pricing'])
    expect(omitted).toEqual([])
    const fits = compilePayloadSchema(manifest.invoke.request.body, 'payload.body')
    expect(fits(manifest.invoke.request.example)).toBeNull()
    expect(fits({ city: 1 })).not.toBeNull()
  })

  test('flags secrets in headers and copies them only to upstreamHeaders', () => {
    const secrets = ['Bearer s3cret-a', 's3cret-b', 'sid=s3cret-c']
    const { manifest, warned } = draft(`curl https://a.example/x -H 'Authorization: ${secrets[0]}'
      -H 'X-Api-Key: ${secrets[1]}' -b '${secrets[2]}' -A 'Me/1' -H 'Sec-Fetch-Mode: cors' -H 'Host: b.example'`)
    const { upstreamHeaders, ...rest } = manifest
    expect(upstreamHeaders).toEqual({
      authorization: secrets[0],
      'x-api-key': secrets[1],
      cookie: secrets[2],
      'user-agent': 'Me/1',
    })
    expect(warned).toEqual(
      expect.arrayContaining(['authorization', 'x-api-key', 'cookie'].map(name => `upstreamHeaders.${name}`)),
    )
    expect(JSON.stringify(rest)).not.toContain('s3cret')
  })

  test('converts -u, --oauth2-bearer and URL credentials to an authorization header', () => {
    const basic = `Basic ${Buffer.from('me:pa:ss').toString('base64')}`
    for (const command of ['curl -u me:pa:ss https://a.example', 'curl https://me:pa%3Ass@a.example']) {
      const { manifest } = draft(command)
      expect(manifest.upstreamHeaders).toEqual({ authorization: basic })
      expect(manifest.invoke.targets[0]?.url).toBe('https://a.example/')
    }
    expect(draft('curl --oauth2-bearer t0 https://a.example').manifest.upstreamHeaders).toEqual({
      authorization: 'Bearer t0',
    })
    expect(draft('curl -u me https://a.example').omitted).toEqual(['-u'])
  })

  test('lets callers send the parameters of a GET, but keeps secrets in the target', () => {
    const { manifest, warned } = draft(
      `curl -G https://a.example/find -d q=Lisbon --data-urlencode 'note=a b' --url-query page=2 -d appid=s3cret`,
    )
    expect(manifest.invoke).toMatchObject({
      method: 'GET',
      targets: [{ url: 'https://a.example/find?appid=s3cret' }],
      request: { example: { q: 'Lisbon', note: 'a b', page: '2' } },
    })
    expect(warned).toContain('invoke.targets.0.url')
  })

  test('redacts secrets in the example, which is visible to callers', () => {
    const { manifest, warned } = draft(`curl a.example --json '{"api_key":"s3cret","a":{"apiKey":"s3cret"}}'`)
    expect(manifest.invoke.request.example).toEqual({ api_key: '...', a: { apiKey: '...' } })
    expect(JSON.stringify(manifest)).not.toContain('s3cret')
    expect(warned).toEqual(
      expect.arrayContaining(['invoke.request.example.api_key', 'invoke.request.example.a.apiKey']),
    )
  })

  test.each([
    ['a value that looks like a secret', `{"note":"it is KEY","mail":"ada@example.org"}`, 'note'],
    ['everything below a name that says so', `{"auth":{"user":"KEY","roles":["KEY"]}}`, 'auth.user'],
    ['at any depth', `{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":"KEY"}}}}}}}}`, 'a.b.c.d.e.f.g.h'],
    ['an item of a list', `{"all":["x","KEY"]}`, 'all.1'],
  ])('redacts %s in the example', (_, body, path) => {
    const { manifest, warned } = draft(`curl a.example --json '${body.replaceAll('KEY', SECRET)}'`)
    expect(JSON.stringify(manifest)).not.toContain(SECRET)
    expect(JSON.stringify(manifest).includes('ada@example.org')).toBe(body.includes('ada'))
    expect(warned).toContain(`invoke.request.example.${path}`)
  })

  test('omits a member whose name looks like a secret, with a warning', () => {
    const { manifest, warned } = draft(`curl a.example -F '${SECRET}=1' -F 'b=2'`)
    expect(manifest.invoke.request.example).toEqual({ b: '2' })
    expect(warned).toContain('invoke.request.example')
    expect(JSON.stringify([manifest, warned])).not.toContain(SECRET)
  })

  test('keeps a parameter whose value looks like a secret in the target, whatever its name', () => {
    const { manifest } = draft(`curl 'https://a.example/find?q=Lisbon&by=${SECRET}'`)
    expect(manifest.invoke).toMatchObject({
      targets: [{ url: `https://a.example/find?by=${SECRET}` }],
      request: { example: { q: 'Lisbon' } },
    })
  })

  test('replaces lone surrogates with U+FFFD and keeps malformed percent-escapes verbatim', () => {
    expect(draft('curl a.example --data-urlencode x=\ud800').manifest.invoke.request.example).toEqual({
      x: '\ufffd',
    })
    expect(draft('curl https://%a:b@a.example').manifest.upstreamHeaders).toEqual({
      authorization: `Basic ${btoa('%a:b')}`,
    })
  })

  test('is refused for a host that looks like a secret, because callers see it', () => {
    expect(refusalOf(`curl ${SECRET}`)).toBe('INVALID_PAYLOAD')
  })

  test.each([
    ['https://api.openai.com/v1/chat/completions', 'openai'],
    ['https://x.openai.azure.example/openai/deployments/d/chat/completions?api-version=1', 'openai'],
    ['https://openrouter.example/api/v1/responses', 'openai'],
    ['https://api.anthropic.com/v1/messages', 'anthropic'],
  ])('recognizes the LLM endpoint %s', (url, llmDialect) => {
    const { manifest, warned } = draft(`curl ${url} -H "x-api-key: $KEY" -H 'anthropic-version: 2023-06-01' \\
      -d '{"model":"small-1","max_tokens":10,"messages":[{"role":"user","content":"hi"}]}'`)
    expect(manifest).toMatchObject({
      serviceKind: 'llm',
      priceModel: 'token_metered',
      llmDialect,
      upstreamModel: 'small-1',
      upstreamHeaders: { 'x-api-key': '$KEY', 'anthropic-version': '2023-06-01' },
    })
    expect(manifest.invoke.request.body).toBeUndefined()
    expect(warned).toEqual(expect.arrayContaining(['pricing', 'upstreamHeaders.x-api-key']))
    const priced = { ...manifest, inputPricePer1MTokensUsdc: '1', outputPricePer1MTokensUsdc: '2' }
    expect(registerServiceBody.safeParse(priced).success).toBe(true)
  })

  test.each<[string, string[]]>([
    ['-k https://a.example', ['-k']],
    ['-sSLk https://a.example', ['-L', '-k']],
    ['--proxy http://p https://a.example', ['--proxy']],
    ["-F 'file=</etc/passwd' https://a.example", ['-F']],
    ['-d @/etc/passwd https://a.example', ['-d']],
    ['--data-urlencode name@/etc/passwd https://a.example', ['--data-urlencode']],
    ['-H @headers https://a.example', ['-H']],
    ['-b cookies.txt https://a.example', ['-b']],
    ["--json '{' https://a.example", ['-d']],
    ["-H 'Content-Type: multipart/form-data; boundary=x' -d '--x--' https://a.example", ['-d']],
    ["-H 'Content-Type: application/ld+json' -d '{}' https://a.example", ['-H']],
    ['--frobnicate https://a.example', ['--frobnicate']],
    ['https://a.example https://b.example', ['url']],
    ['https://a.example/{a,b}', ['url']],
    ["-H 'Transfer-Encoding: chunked' https://a.example", ['-H']],
    ["-H 'X-Bad: caf\u00e9' https://a.example", ['-H']],
    ['-X DELETE -d x=1 https://a.example', ['-d']],
  ])('of curl %s lists the options that it omits', (rest, omitted) => {
    expect(draft(`curl ${rest}`).omitted).toEqual(omitted)
  })

  test.each([
    ['-T file https://a.example', '-T'],
    ['--data-binary @body.bin https://a.example', '--data-binary'],
    ['--unix-socket /s http://a.example', '--unix-socket'],
    ['--abstract-unix-socket s http://a.example', '--abstract-unix-socket'],
    ['-E me.pem https://a.example', '-E'],
    ['--key k.pem https://a.example', '--key'],
    ['--digest -u a:b https://a.example', '--digest'],
    ['--ntlm -u a:b https://a.example', '--ntlm'],
    ['--aws-sigv4 aws:amz https://a.example', '--aws-sigv4'],
    ['-X PROPFIND https://a.example', '-X'],
    ['ftp://a.example/x', 'url'],
    ['ws://a.example/x', 'url'],
    ['https://{{host}}/x', 'url'],
    ['https://$HOST/x', 'url'],
    ['https://a.example -T file', '-T'],
  ])('is refused for curl %s, and the error names the option', (rest, option) => {
    const thrown = (() => {
      try {
        return parseCurl(`curl ${rest}`)
      } catch (error) {
        return error as GatewayError
      }
    })()
    expect(thrown).toMatchObject({ code: 'INVALID_PAYLOAD', status: 400, context: { option } })
    expect((thrown as GatewayError).message).toContain(`curlCommand: ${option}: `)
  })

  test('turns placeholders in the path into path parameters', () => {
    const forms = [
      '{{user id}}',
      '{user_id}',
      '$user_id',
      `\${user_id}`,
      '<user id>',
      ':user_id',
      '%7Buser_id%7D',
      'YOUR_user_id',
    ]
    for (const form of forms) {
      const { manifest, warned } = draft(`curl 'https://a.example/v1/users/${form}/posts?limit=2'`)
      expect(manifest.invoke).toMatchObject({
        targets: [{ url: 'https://a.example/v1/users/{user_id}/posts' }],
        request: {
          path: { properties: { user_id: { type: ['string', 'number'] } } },
          query: { properties: { limit: { type: ['number', 'string'] } } },
          example: { limit: '2' },
        },
      })
      expect(warned).toEqual(['pricing'])
    }
  })

  test('leaves placeholders for API keys to the provider, in the URL and in headers', () => {
    const { manifest, warnings } = draft(
      `curl 'https://a.example/bot{{botToken}}/send?key={{apiKey}}&chat={{chat}}' -H 'X-Api-Key: {{apiKey}}' --json '{"text":"{{text}}","n":{{n}}}'`,
    )
    expect(manifest).toMatchObject({
      upstreamHeaders: { 'x-api-key': '{{apiKey}}' },
      invoke: {
        targets: [{ url: 'https://a.example/bot%7B%7BbotToken%7D%7D/send?key=%7B%7BapiKey%7D%7D' }],
        request: {
          query: { properties: { chat: { type: 'string' } } },
          body: { properties: { text: {}, n: {} } },
          example: {},
        },
      },
    })
    const named = warnings.filter(({ message }) => /placeholder/.test(message)).map(({ path }) => path)
    expect(named).toEqual(['invoke.targets.0.url', 'upstreamHeaders.x-api-key', 'invoke.targets.0.url'])
  })

  test('renames a path placeholder that shares its name with a body member', () => {
    const { manifest } = draft(`curl 'https://a.example/{id}' --json '{"id":1,"path_id":2}'`)
    expect(manifest.invoke.targets[0]?.url).toBe('https://a.example/{path_path_id}')
  })

  test.each<[string, object]>([
    [`-d 'a=1&b=x y&a=2'`, { encoding: 'form', request: { example: { a: ['1', '2'], b: 'x y' } } }],
    [`--data-urlencode 'q=a&b'`, { encoding: 'form', request: { example: { q: 'a&b' } } }],
    [
      `-F 'note=hi;type=text/plain' -F 'file=@a.png;type=image/png'`,
      {
        encoding: 'multipart',
        request: {
          body: { properties: { note: { type: 'string' }, file: { required: ['base64'] } } },
          example: { note: 'hi', file: { base64: '', filename: 'file' } },
        },
      },
    ],
    [
      `-H 'Content-Type: text/xml; charset=utf-8' --data-raw '<a/>'`,
      {
        encoding: 'text',
        contentType: 'text/xml; charset=utf-8',
        request: { body: { type: 'string' }, example: '<a/>' },
      },
    ],
    [`-d plain`, { encoding: 'text', contentType: 'application/x-www-form-urlencoded' }],
    [`--json '[1,2]'`, { encoding: 'text', contentType: 'application/json', request: { example: '[1,2]' } }],
    [
      `-H 'Content-Type: application/x-ndjson' -d @rows`,
      { encoding: 'text', contentType: 'application/x-ndjson' },
    ],
  ])('encodes the body of curl %s as curl does', (rest, invoke) => {
    expect(draft(`curl https://a.example/x ${rest}`).manifest.invoke).toMatchObject({
      method: 'POST',
      ...invoke,
    })
  })

  test.each([
    'curl a.example/path',
    `curl 'https://a.example/{id}/{{x y}}?q={{q}}&key={{key}}' -d 'id=1'`,
    `curl 'https://a.example/{a,b}?x={y' -F a=@b -F c=d`,
    'curl -I https://a.example',
    `curl https://a.example -d 'a=1&b=2'`,
    `curl https://a.example --json '[1,2]'`,
    `curl https://a.example --json '"text"'`,
    `curl -X PATCH https://a.example/${'x'.repeat(300)}`,
    `curl https://[::1]:8080/a -m 1e9`,
    `$ sudo A=b /usr/bin/curl --request put --url http://a.example`,
  ])('of %j is a valid manifest once a price is added', command => {
    const { manifest } = draft(command)
    const { error } = registerServiceBody.safeParse({ ...manifest, pricing: { amount: '0.01' } })
    expect(error).toBeUndefined()
  })

  test.each([
    '',
    'wget https://a.example',
    'curl',
    'curl -s',
    `curl 'https://a.example`,
    'curl ftp://a.example',
    'curl file:///etc/passwd',
    'curl https://',
    'curl -X',
    'rm -rf / && curl a.example',
  ])('is refused for %j', command => {
    expect(refusalOf(command)).toBe('INVALID_PAYLOAD')
  })

  test.each([
    'curl “https://a.example”',
    'curl https://a.example -H ‘a: b’',
    'curl https://a.example —data a=1',
    'curl –X POST https://a.example',
  ])('is refused for the typographic quotes and dashes of %j, which the error shows', command => {
    expect(() => parseCurl(command)).toThrow(/^curlCommand: A word begins with [“‘—–]: write plain quotes/)
  })

  test('keeps typographic quotes inside of plain ones', () => {
    const { manifest } = draft(
      `curl https://a.example/it’s -H 'content-type: application/json' -d '{"a": "“—”"}'`,
    )
    expect(manifest.invoke.request.example).toEqual({ a: '“—”' })
  })
})
