import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, readCommands } from './document.ts'

const ROOT = join(import.meta.dirname, '../../../../..')
const TESTS = 'apps/gateway/test'

/** How a command is run: by `rehearsal.test.ts`, by another test, or not here for a reason. */
export type Plan =
  | 'rehearsed'
  | { readonly file: string; readonly title: string }
  | { readonly reason: string }

const NO_ENGINE = { reason: 'There is no container engine or cluster in the tests.' }
const rehearsed = (...all: readonly string[]) => all.map(words => [words, 'rehearsed'] as const)
const test = (file: string, title: string): Plan => ({ file: `${TESTS}/${file}`, title })

const LEAVES = test(
  'production/rehearsal/commands.test.ts',
  'the shell functions of docs/proof.md make the hashes that it says',
)

/** Words of commands in the documents of operators, with the plan of each; the first that fits counts. */
export const PLANS: Readonly<Record<string, readonly (readonly [words: string, plan: Plan])[]>> = {
  'docs/operations.md': [
    [
      'npm run rebind',
      test('production/rebind.test.ts', 'a database moves to another vault only by an audited act'),
    ],
    ['docker compose', NO_ENGINE],
    [
      'DATABASE_URL=postgres://farebox_gateway:...@',
      { reason: 'A setting, which the gateways of the rehearsal have.' },
    ],
    ...rehearsed(
      'scripts/farebox',
      'npm start',
      'npm run migrate',
      'npm run reconcile',
      'reseal.ts',
      'create role',
      'create database',
      'archive_mode',
      'archive_command',
      'archive_timeout',
      'pg_basebackup',
      'pg_receivewal',
      '/backup/log/*.partial',
      '/var/lib/postgresql/restored',
      'curl -s',
      'psql ',
      'openssl s_client',
    ),
  ],
  'docs/observability.md': [
    ['docker run', NO_ENGINE],
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      test('observability/tracing.test.ts', 'joins caller, gateway and provider, across a fail-over'),
    ],
    ['npm run tour', { reason: 'A demonstration, which operates nothing.' }],
  ],
  'docs/proof.md': [
    [
      'verify-reserves.ts',
      test(
        'proof/verify-reserves.test.ts',
        'verifies that an honest gateway covers what it owes, with one’s own balance',
      ),
    ],
    ['--anchor', test('proof/export-ledger.test.ts', 'is compared with seals that were kept elsewhere')],
    [
      '-ledger',
      test(
        'proof/export-ledger.test.ts',
        'is whole, private to whoever exported it, and verifies without a gateway',
      ),
    ],
    ['sha256sum', LEAVES],
    ["leaf '1", LEAVES],
    ['proof/seals', test('proof/export-ledger.test.ts', 'has the seals that the gateway shows to everybody')],
  ],
  'deploy/README.md': [
    ['kubectl', NO_ENGINE],
    [
      'scripts/farebox check',
      test(
        'production/systemd.test.ts',
        'a gateway starts with every secret in a file, and ends well after SIGTERM',
      ),
    ],
  ],
}

/** A command of a document, and its plan; undefined if it has none. */
export type Planned = Command & { readonly document: string; readonly plan: Plan | undefined }

/** Returns the commands of all documents of operators. */
export const listCommands = (): Planned[] =>
  Object.entries(PLANS).flatMap(([document, plans]) =>
    readCommands(readFileSync(join(ROOT, document), 'utf8')).map(command => ({
      document,
      plan: plans.find(([words]) => command.text.includes(words))?.[1],
      ...command,
    })),
  )
