import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, readCommands } from './document.ts'

const ROOT = join(import.meta.dirname, '../../../../..')
const GATEWAY = 'apps/gateway'

/** How a command is run: by `rehearsal.test.ts`, by another test, or not here for a reason. */
export type Plan =
  | 'rehearsed'
  | { readonly file: string; readonly title: string }
  | { readonly reason: string }

const NO_ENGINE = { reason: 'There is no container engine or cluster in the tests.' }
const rehearsed = (...all: readonly string[]) => all.map(words => [words, 'rehearsed'] as const)
const test = (file: string, title: string): Plan => ({
  file: `${GATEWAY}/${file}`,
  title,
})

const REBIND = test(
  'test/production/rebind.test.ts',
  'a database moves to another vault only by an audited act',
)
const LEAVES = test(
  'test/production/rehearsal/commands.test.ts',
  'the shell functions of docs/proof.md compute its hashes',
)

/** Words of commands in the documents of operators, with the plan of each; the first that fits counts. */
export const PLANS: Readonly<Record<string, readonly (readonly [words: string, plan: Plan])[]>> = {
  'docs/operations.md': [
    ['vault move-balance', REBIND],
    ['npm run rebind', REBIND],
    [
      'delete from vault_cursors',
      test(
        'src/domains/deposits/first-block.test.ts',
        'deposits before too high a FOLLOWER_START_BLOCK are credited once after the documented steps',
      ),
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
    ),
  ],
  'docs/observability.md': [
    ['docker run', NO_ENGINE],
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      test('test/observability/tracing.test.ts', 'joins caller, gateway and provider, across a failover'),
    ],
    ['npm run tour', { reason: 'A demonstration, which operates nothing.' }],
  ],
  'docs/proof.md': [
    [
      'verify-reserves.ts',
      test(
        'test/proof/verify-reserves.test.ts',
        'verifies that an honest gateway covers what it owes, with one’s own balance',
      ),
    ],
    [
      '--anchor',
      test('test/proof/export-ledger.test.ts', 'is compared with seals that were stored elsewhere'),
    ],
    [
      '-ledger',
      test(
        'test/proof/export-ledger.test.ts',
        'is complete, readable by its owner only, and verifies without a gateway',
      ),
    ],
    ['sha256sum', LEAVES],
    ["leaf '1", LEAVES],
    ['proof/seals', test('test/proof/export-ledger.test.ts', 'has the seals that the gateway publishes')],
  ],
  'deploy/README.md': [
    ['kubectl', NO_ENGINE],
    [
      'scripts/farebox check',
      test(
        'test/production/systemd.test.ts',
        'a gateway starts with every secret in a file, and exits cleanly on SIGTERM',
      ),
    ],
  ],
}

/** Programs whose commands the rehearsal runs for every incident, as they are shown. */
const OF_INCIDENTS = /^(?:curl|psql|openssl|sudo -u postgres psql) /

/** A command of a document, and its plan; undefined if it has none. */
export type Planned = Command & { readonly document: string; readonly plan: Plan | undefined }

/** Returns the commands of all documents of operators. */
export const listCommands = (): Planned[] =>
  Object.entries(PLANS).flatMap(([document, plans]) =>
    readCommands(readFileSync(join(ROOT, document), 'utf8')).map(command => {
      const { heading, text } = command
      const planned = plans.find(([words]) => text.includes(words))?.[1]
      const plan = planned ?? (heading === 'Incidents' && OF_INCIDENTS.test(text) ? 'rehearsed' : undefined)
      return { document, plan, ...command }
    }),
  )
