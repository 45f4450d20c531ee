import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

// Timing: presented secrets are never compared character by character. They are looked up by digest, which reveals
// nothing about the secret's characters, or compared by timingSafeEqual. Checked by reading the sources, since
// measurements differ by machine.

const SRC = join(import.meta.dirname, '../../src')
/** A name that a secret, or what is made of one, goes by; counts of tokens are none. */
const SECRET = String.raw`[\w.?]*(?:token|secret|passw|apiKey|digest|hmac|otp|voucherCode|signature)(?!s|_|\w*Tokens)\w*`
const COMPARED = new RegExp(
  String.raw`${SECRET}\s*[!=]==(?!\s*(?:undefined|null|''|'[A-Z_]+'|false|true|\d))|[!=]==\s*${SECRET}\b(?!\.length)`,
  'i',
)
/** Comparisons of what is no secret by then, each with its reason. */
const HARMLESS: Readonly<Record<string, string>> = {
  'adapters/migrate.ts': 'digests of migrations, which are public',
  'domains/deposits/vault-binding.ts': 'addresses of ERC-20 tokens, which are public',
  'operator/move-balance.ts': 'addresses of ERC-20 tokens, which are public',
  'domains/credentials/require-agent.ts': 'what a caller sent, with the same without its prefix',
  'domains/services/assert-manifest.ts': 'names of signature algorithms, which are public',
  'domains/services/find-callable.ts': 'ids of signing secrets, which every request says',
  'domains/services/signing-secret.ts': 'names of signature algorithms, which are public',
  'domains/services/update-service.ts': 'names of signature algorithms, which are public',
}

async function sources(): Promise<{ file: string; lines: string[] }[]> {
  const found: { file: string; lines: string[] }[] = []
  for await (const file of glob('**/*.ts', { cwd: SRC })) {
    if (file.endsWith('.test.ts') || file.startsWith('dev/') || file.startsWith('tour/')) continue
    found.push({ file, lines: readFileSync(join(SRC, file), 'utf8').split('\n') })
  }
  return found
}

test('compares no secret character by character', async () => {
  const all = await sources()
  expect(all.length).toBeGreaterThan(250)
  const compared = all.filter(
    ({ file, lines }) => !(file in HARMLESS) && lines.some(line => COMPARED.test(line)),
  )
  expect(
    compared.map(({ file, lines }) => `${file}: ${lines.find(line => COMPARED.test(line))?.trim()}`),
  ).toEqual([])
})

test('looks secrets up by their digest or compares them in constant time', async () => {
  const all = new Map((await sources()).map(({ file, lines }) => [file, lines.join('\n')]))
  for (const [file, means] of [
    ['domains/credentials/require-agent.ts', /hash\('sha256', token/],
    ['domains/secrets/store.ts', /digest/],
    ['domains/vouchers/rules.ts', /createHash\('sha256'\)\.update\(code\)/],
    ['domains/profiles/rules.ts', /timingSafeEqual\(/],
    ['http/metrics-route.ts', /timingSafeEqual\(digest\(/],
    ['domains/auth/session-token.ts', /jwtVerify\(/],
  ] as const) {
    expect([file, all.get(file)]).toEqual([file, expect.stringMatching(means)])
  }
})

test('finds a forbidden comparison in source', () => {
  for (const line of [
    'if (token === given) return',
    'return row.secret !== sent',
    'if (sent === config.METRICS_TOKEN) {',
    'const ok = hmac(x) === request.signature',
  ]) {
    expect([line, COMPARED.test(line)]).toEqual([line, true])
  }
})
