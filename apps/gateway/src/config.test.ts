import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import {
  ConfigError,
  describeSettings,
  readConfig,
  readSecretOf,
  readSome,
  secretSettings,
} from './config.ts'

const production = {
  FAREBOX_MODE: 'production',
  DATABASE_URL: 'postgres://localhost/farebox',
  CHAIN_RPC_URL: 'http://localhost:8545',
  VAULT_ADDRESS: `0x${'a'.repeat(40)}`,
  TICKET_SIGNER_KEY: `0x${'1'.repeat(64)}`,
  JWT_SECRET: 's'.repeat(32),
  ENCRYPTION_KEY: '2'.repeat(64),
}

const operations = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8')

const ORIGINS =
  'must be origins separated by commas, without a path or a slash at the end (https://app.example.com)'

describe('configuration', () => {
  test('docs/operations.md lists exactly the existing settings', () => {
    const rows = [...operations.matchAll(/^\| `([A-Z][A-Z0-9_]+)` \| (.*?) \| (.+) \|$/gm)]
    expect(rows.map(([, name, absent, doc]) => ({ name, absent: absent?.replaceAll('`', ''), doc }))).toEqual(
      describeSettings(),
    )
  })

  test('production mode names everything that is missing, on one line', () => {
    expect(() => readConfig({ FAREBOX_MODE: 'production' })).toThrow(
      new ConfigError(
        'Configuration: missing for production mode: DATABASE_URL, CHAIN_RPC_URL, VAULT_ADDRESS, JWT_SECRET, ENCRYPTION_KEY',
      ),
    )
  })

  test.each([
    'postgres://u:hunter2@db.invalid/farebox',
    'postgres://u:hunter2@db.invalid/farebox?sslmode=prefer',
    'postgres://u:hunter2@db.invalid/farebox?sslmode=disable',
    'postgres://u:hunter2@db.invalid/farebox?sslmode=no-verify',
    'postgres://u:hunter2@db.invalid/farebox?sslmode=require&sslmode=disable',
    'postgres://u:hunter2@localhost/farebox?host=db.invalid',
    'postgres://u:hunter2@127.0.0.1.db.invalid/farebox',
    'postgres://u:hunter2@10.0.0.1/farebox',
  ])('a remote database without TLS is rejected, unless DATABASE_TLS is off: %s', url => {
    for (const name of ['DATABASE_URL', 'MIGRATION_DATABASE_URL']) {
      const read = (env: object) => readConfig({ ...production, [name]: url, ...env })
      expect(() => read({})).toThrow(
        new ConfigError(
          `Configuration: ${name} connects to another machine without TLS: add sslmode=verify-full, or set DATABASE_TLS=off`,
        ),
      )
      expect(read({ DATABASE_TLS: 'off' })).toMatchObject({ [name]: url })
      expect(() => readSome({ [name]: url }, [name as 'DATABASE_URL'])).toThrow('without TLS')
    }
  })

  test('a local database needs no TLS, and a remote one may use it', () => {
    for (const url of [
      'postgres://u@localhost/farebox',
      'postgres://u@127.0.0.1:5433/farebox',
      'postgres://u@[::1]/farebox',
      'postgres://u@localhost/farebox?host=/var/run/postgresql',
      'postgres://u@%2Fvar%2Frun/farebox',
      'postgres:///farebox',
      'postgres://u@db.invalid/farebox?sslmode=require',
      'postgres://u@db.invalid/farebox?sslmode=verify-ca',
      'postgres://u@db.invalid/farebox?sslmode=verify-full',
    ])
      expect(readConfig({ ...production, DATABASE_URL: url })).toMatchObject({ DATABASE_URL: url })
    expect(() =>
      readConfig({ ...production, DATABASE_URL: 'postgres:///farebox', PGHOST: 'db.invalid' }),
    ).toThrow('without TLS')
  })

  test('TRUST_PROXY is a number of hops or a list of networks; true is rejected with what to write instead', () => {
    const read = (TRUST_PROXY: string) => readConfig({ ...production, TRUST_PROXY }).TRUST_PROXY
    expect(['', '0', 'false', '1', '2'].map(read)).toEqual([0, 0, 0, 1, 2])
    expect(read('10.0.0.0/8, ::1,192.168.1.1')).toEqual(['10.0.0.0/8', '::1', '192.168.1.1'])
    expect(() => read('true')).toThrow(/^Configuration: TRUST_PROXY cannot be true: .* \(1 to 10\), .*CIDRs/)
    for (const text of ['11', '-1', '1.5', 'yes', '10.0.0.0/33', '10.0.0.0/8/8', 'proxy.invalid', '1.1.1.1,'])
      expect(() => read(text)).toThrow(/^Configuration: TRUST_PROXY must be the number of proxies/)
  })

  test('a malformed secret is rejected by name, without its value', () => {
    const read = () => readConfig({ ...production, TICKET_SIGNER_KEY: '0xhunter2', PORT: 'http' })
    expect(read).toThrow(/TICKET_SIGNER_KEY must be 32 bytes in hex/)
    for (const name of ['TICKET_SIGNER_KEY', 'X402_SETTLER_KEY'])
      for (const digit of ['0', 'f'])
        expect(() => readConfig({ ...production, [name]: digit.repeat(64) })).toThrow(
          new ConfigError(`Configuration: ${name} must be the private key of an account`),
        )
    expect(read).toThrow(/PORT/)
    expect(read).not.toThrow(/hunter2/)
  })

  test.each([
    ['PORT', 'http', 'must be a whole number from 0 to 65535'],
    ['PORT', '0x1F', 'must be a whole number from 0 to 65535'],
    ['DRAIN_SECONDS', ' ', 'must be a number from 0 to 3660'],
    ['LOG_SUCCESS_SHARE', '1.5', 'must be a number from 0 to 1'],
    ['LEASE_SECONDS', '-1', 'must be a number from 0.5 to 3600'],
    ['LOG_LEVEL', 'verbose', 'must be one of debug, info, warn, error, silent'],
    ['PUBLIC_URL', 'javascript:alert(1)', 'must be a http: or https: URL'],
    ['PUBLIC_URL', 'https://user:pw@a.example', 'must have no credentials, query or fragment'],
    ['PUBLIC_URL', 'https://a.example/?x=1', 'must have no credentials, query or fragment'],
    ['CHAIN_PUBLIC_RPC_URL', 'wss://a.invalid', 'must be a http: or https: URL'],
    ['ADMIN_WALLETS', `0x${'1'.repeat(40)},0x2`, 'must be 0x addresses separated by commas'],
    ['CORS_ORIGINS', 'app.example.com', ORIGINS],
    ['CORS_ORIGINS', 'https://app.example.com/', ORIGINS],
  ])('%s=%j is rejected with the accepted and the given value', (name, value, accepted) => {
    expect(() => readConfig({ ...production, [name]: value })).toThrow(
      new ConfigError(`Configuration: ${name} ${accepted}, not ${JSON.stringify(value)}`),
    )
  })

  test.each([
    ['DATABASE_URL', 'https://db.invalid/farebox', 'must be a postgres: URL'],
    ['CHAIN_RPC_URL', 'wss://a.invalid/hunter2', 'must be a http: or https: URL'],
    ['JWT_SECRET', 'hunter2', 'must have 32 to 4096 characters'],
    // A private key where an address belongs.
    ['VAULT_ADDRESS', `0x${'ab'.repeat(32)}`, 'must be a 0x address'],
  ])('%s of the wrong form is rejected without its value', (name, value, accepted) => {
    expect(() => readConfig({ ...production, [name]: value })).toThrow(
      new ConfigError(`Configuration: ${name} ${accepted}`),
    )
  })

  test('RPC_URLS is a list of distinct URLs that errors never show', () => {
    const read = (urls: string) => readConfig({ ...production, RPC_URLS: urls }).RPC_URLS
    expect(read('')).toEqual([])
    expect(read('https://a.example/v2/k, https://b.example')).toEqual([
      'https://a.example/v2/k',
      'https://b.example',
    ])
    expect(() => read(production.CHAIN_RPC_URL)).toThrow(/RPC_URLS must not repeat an endpoint/)
    for (const same of [
      'https://a.example',
      'https://a.example/',
      'https://A.example:443',
      'https://a.example/#x',
    ])
      expect(() => read(`https://a.example,${same}`)).toThrow(/RPC_URLS must not repeat an endpoint/)
    expect(() => read('hunter2')).toThrow(/RPC_URLS must be URLs separated by commas/)
    expect(() => read('hunter2')).not.toThrow(/hunter2/)
  })

  test("the signer's key is optional in production", () => {
    const { TICKET_SIGNER_KEY: _, ...without } = production
    expect(readConfig(without).TICKET_SIGNER_KEY).toBeUndefined()
  })

  test.each([
    ['WALLETCONNECT_PROJECT_ID', 'my-project'],
    ['WALLETCONNECT_RELAY_URL', 'https://relay.example'],
  ])('a malformed %s is rejected', (name, value) => {
    expect(() => readConfig({ ...production, [name]: value })).toThrow(new RegExp(name))
  })

  test('development mode is refused when NODE_ENV is production', () => {
    expect(() => readConfig({ FAREBOX_MODE: 'dev', NODE_ENV: 'production' })).toThrow(/refused/)
  })

  test('private and http targets are off in production and on in development, unless set', () => {
    expect(readConfig(production)).toMatchObject({
      ALLOW_PRIVATE_TARGETS: false,
      ALLOW_HTTP_TARGETS: false,
      REQUIRED_CONFIRMATIONS: 12,
    })
    expect(readConfig({ FAREBOX_MODE: 'dev' })).toMatchObject({
      ALLOW_PRIVATE_TARGETS: true,
      ALLOW_HTTP_TARGETS: true,
      REQUIRED_CONFIRMATIONS: 1,
    })
    expect(readConfig({ FAREBOX_MODE: 'dev', ALLOW_PRIVATE_TARGETS: '0' })).toMatchObject({
      ALLOW_PRIVATE_TARGETS: false,
    })
  })

  test('a mail server requires a sender, and neither can inject a header', () => {
    const SMTP_URL = 'smtps://user:hunter2@mail.example.com:465'
    expect(() => readConfig({ ...production, SMTP_URL })).toThrow('SMTP_URL requires MAIL_FROM')
    for (const MAIL_FROM of ['no-reply@example.com', 'Farebox & Co. <no-reply@example.com>']) {
      expect(readConfig({ ...production, SMTP_URL, MAIL_FROM })).toMatchObject({ SMTP_URL, MAIL_FROM })
    }
    for (const MAIL_FROM of [
      'Farebox',
      'a@b.co\r\nBcc: c@d.co',
      'a@b.co, c@d.co',
      '"A" <a@b.co>',
      'A <a@b.co> B',
    ]) {
      expect(() => readConfig({ ...production, SMTP_URL, MAIL_FROM })).toThrow(/MAIL_FROM must be an address/)
    }
    expect(() => readConfig({ ...production, SMTP_URL: 'https://user:hunter2@mail.example.com' })).toThrow(
      /^(?!.*hunter2).*SMTP_URL must be a smtp: or smtps: URL/,
    )
    expect(readConfig({ FAREBOX_MODE: 'dev' }).MAIL_FROM).toBe('Farebox <farebox@localhost>')
  })

  describe('a secret in a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'farebox-secrets-'))
    afterAll(() => rmSync(folder, { recursive: true }))
    const { JWT_SECRET, ...without } = production
    const file = (text: string, mode = 0o440) => {
      const path = join(folder, `${mode}-${text.length}`)
      writeFileSync(path, text)
      chmodSync(path, mode)
      return path
    }
    const read = (path: string, env: object = {}) => readConfig({ ...without, ...env, JWT_SECRET_FILE: path })

    test('is read without its final newline, like the variable', () => {
      for (const end of ['', '\n', '\r\n']) expect(read(file(JWT_SECRET + end)).JWT_SECRET).toBe(JWT_SECRET)
      expect(readSome({ ENCRYPTION_KEY_FILE: file('2'.repeat(64)) }, ['ENCRYPTION_KEY'])).toEqual({
        ENCRYPTION_KEY: '2'.repeat(64),
      })
      expect(readSecretOf({ OTHER_FILE: file('s3cret\n') }, 'OTHER')).toBe('s3cret')
      expect(readConfig({ ...production, PORT_FILE: '/nowhere' }).PORT).toBe(0)
    })

    test('is rejected by name if it is missing, not a file, empty, too long, or readable by every user', () => {
      const refused = (path: string, why: string) =>
        expect(() => read(path)).toThrow(new ConfigError(`Configuration: JWT_SECRET_FILE ${why}`))
      refused(join(folder, 'nowhere'), 'cannot be read (ENOENT)')
      refused(folder, 'is not a file')
      refused(file('\n'), 'is empty')
      refused(file('s'.repeat(65_537)), 'has more than 65536 bytes')
      for (const mode of [0o444, 0o604, 0o442, 0o441])
        refused(file('hunter2', mode), 'is open to every user of this machine: chmod o= it')
      expect(() => read(file('short'))).toThrow(/^Configuration: JWT_SECRET /)
    })

    test('is rejected together with the variable itself', () => {
      expect(() => read(file(JWT_SECRET), { JWT_SECRET })).toThrow(
        new ConfigError('Configuration: JWT_SECRET and JWT_SECRET_FILE are both set: keep one'),
      )
      expect(read(file(JWT_SECRET), { JWT_SECRET: '' }).JWT_SECRET).toBe(JWT_SECRET)
    })

    test('is possible for exactly the settings that docs/operations.md lists', () => {
      const [, listed = ''] = /may be given as files: (.*?)\./s.exec(operations) ?? []
      expect([...listed.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name)).toEqual(secretSettings())
    })
  })

  test('an external signer requires an account and excludes a key', () => {
    const signer = {
      TICKET_SIGNER_URL: 'https://signer.invalid',
      TICKET_SIGNER_ADDRESS: `0x${'a'.repeat(40)}`,
    }
    const read = (env: object) => readConfig({ ...production, TICKET_SIGNER_KEY: '', ...signer, ...env })
    expect(read({})).toMatchObject(signer)
    expect(() => read({ TICKET_SIGNER_ADDRESS: '' })).toThrow(/TICKET_SIGNER_ADDRESS require each other/)
    expect(() => read({ TICKET_SIGNER_URL: '' })).toThrow(/TICKET_SIGNER_ADDRESS require each other/)
    expect(() => read({ TICKET_SIGNER_KEY: production.TICKET_SIGNER_KEY })).toThrow(
      'TICKET_SIGNER_URL and TICKET_SIGNER_KEY are both set: keep one',
    )
  })

  test('the configuration is frozen', () => {
    expect(Object.isFrozen(readConfig(production))).toBe(true)
  })
})
