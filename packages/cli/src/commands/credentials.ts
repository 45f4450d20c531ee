import type { AnswerOf, InputOf } from '@farebox/client'
import { formatUsdc, type Usdc } from '@farebox/money'
import { Command, Option } from 'commander'
import { isOutcomeOpen } from '../calls/outcome.ts'
import { badInput, toFailure } from '../failure.ts'
import { openSession, type Session } from '../session.ts'
import { writePrivateFile } from '../state/private-file.ts'
import { writeProfile } from '../state/profiles.ts'
import { examples } from '../terminal/examples.ts'
import { nextCommand } from '../terminal/next-command.ts'
import { note, print, printFacts, printJson, printTable } from '../terminal/output.ts'
import { collect, readAmount, readCount, readSeconds } from './read-options.ts'

type Limits = {
  readonly creditLimit?: Usdc
  readonly maxCostPerCall?: Usdc
  readonly maxCalls?: number
  readonly rpm?: number
  readonly reset?: (typeof INTERVALS)[number]
  readonly expiresIn?: number
  readonly allow?: readonly string[]
}
type Keeping = { readonly save?: true; readonly tokenFile?: string }
type Listed = AnswerOf<'listCredentials'>['credentials'][number]
type Issued = AnswerOf<'issueCredential'>

const INTERVALS = ['hourly', 'daily', 'weekly', 'monthly', 'never'] as const
const CALLS_MAX = 1_000_000_000_000
const RPM_MAX = 10_000_000
const OVERLAP_SECONDS_MAX = 604_800
const LIST_MAX = 100

/** `farebox credentials`. */
export function credentialsCommand(): Command {
  const command = new Command('credentials')
    .description('Mint, list, limit and revoke the credentials of agents.')
    .addHelpText(
      'after',
      examples(
        '$ farebox credentials mint my-agent --credit-limit 1 --reset daily',
        '$ farebox credentials list',
        '$ farebox credentials revoke cred_01kahd5w3xqv7m2c9z4n8r6t0e',
        '',
        'Every subcommand has --help.',
      ),
    )
  for (const child of [mint(), list(), status(), update(), rotate(), end('revoke'), end('delete')])
    command.addCommand(child)
  return command
}

function mint(): Command {
  const command = new Command('mint')
    .description('Mint a credential. Its token is printed once, alone on standard output.')
    .argument('[name]', 'label')
  return keeping(limiting(command))
    .addHelpText(
      'after',
      examples(
        '$ export FAREBOX_CREDENTIAL=$(farebox credentials mint my-agent --credit-limit 1)',
        '$ farebox credentials mint nightly --credit-limit 5 --reset daily --expires-in 30d --token-file agent.token',
        '$ farebox credentials mint --credit-limit 1 --allow weather --allow sample-llm --save',
      ),
    )
    .action(async (name: string | undefined, options: Limits & Keeping, command: Command) => {
      const session = openSession(command)
      const body = { ...limitsOf(options), ...(name !== undefined && { name }) }
      const { api } = session.owner()
      const issued = await api.issueCredential({ body }).catch(error => {
        throw lostAnswer(
          error,
          `A credential may have been minted whose token is lost: see ${nextCommand('credentials list')}`,
        )
      })
      keep(session, issued, options)
    })
}

function list(): Command {
  return new Command('list')
    .description('List the credentials, newest first.')
    .option('--active', 'leave out revoked and expired ones')
    .option('--limit <count>', `how many, at most ${LIST_MAX}`, readCount(1, LIST_MAX), LIST_MAX)
    .addHelpText(
      'after',
      examples(
        '$ farebox credentials list --active',
        "$ farebox credentials list --json | jq -r '.credentials[] | [.id, .spentUsdc] | @tsv'",
      ),
    )
    .action(async ({ active, limit }: { active?: true; limit: number }, command: Command) => {
      const session = openSession(command)
      const query = { limit, ...(active && { active_only: 'true' as const }) }
      const page = await session.owner().api.listCredentials({ query })
      if (session.isJson) return printJson(page)
      if (page.credentials.length === 0) return note('No credentials.')
      printTable(
        ['ID', 'NAME', 'STATUS', 'SPENT', 'LIMIT', 'CALLS'],
        page.credentials.map(each => [each.id, each.name, each.status, ...spendingOf(each)]),
      )
      if (page.nextCursor !== null) note('More credentials exist.')
    })
}

function status(): Command {
  return new Command('status')
    .description('Show the spending and status of a credential.')
    .argument('<id>', 'id of the credential')
    .addHelpText('after', examples('$ farebox credentials status cred_01kahd5w3xqv7m2c9z4n8r6t0e'))
    .action(async (id: string, _: object, command: Command) => {
      const session = openSession(command)
      const state = await session.owner().api.readCredential({ path: { id } })
      if (session.isJson) return printJson(state)
      const [spent, limit, calls] = spendingOf(state)
      printFacts([
        ['Credential', state.credentialId],
        ['Status', `${state.credentialStatus}${state.valid ? '' : ', not valid'}`],
        ['Spent', `${spent} of ${limit} USDC, ${state.heldUsdc} held`],
        ['Calls', calls],
        ['Expires', timeOf(state.expiresAt)],
      ])
    })
}

function update(): Command {
  return limiting(
    new Command('update')
      .description('Change the limits of a credential. Omitted limits are unchanged.')
      .argument('<id>', 'id of the credential')
      .option('--name <name>', 'label'),
  )
    .addHelpText(
      'after',
      examples('$ farebox credentials update cred_01kahd5w3xqv7m2c9z4n8r6t0e --credit-limit 2'),
    )
    .action(async (id: string, options: Limits & { name?: string }, command: Command) => {
      const session = openSession(command)
      const body = { ...limitsOf(options), ...(options.name !== undefined && { name: options.name }) }
      if (Object.keys(body).length === 0)
        throw badInput('Give a limit to change.', 'List them: farebox credentials update --help')
      const changed = await session.owner().api.updateCredential({ path: { id }, body })
      if (session.isJson) printJson(changed)
      else {
        const { status } = changed.credential
        const state = status === 'active' ? '' : ` It is ${status}: its calls are refused.`
        note(`Changed ${changed.credentialId}.${state}`)
      }
    })
}

function rotate(): Command {
  const command = new Command('rotate')
    .description('Replace the token of a credential. The new one is printed once.')
    .argument('<id>', 'id of the credential')
    .option(
      '--overlap <duration>',
      'how long the old token stays valid, such as 10m',
      readSeconds(OVERLAP_SECONDS_MAX),
    )
  return keeping(command)
    .addHelpText(
      'after',
      examples('$ farebox credentials rotate cred_01kahd5w3xqv7m2c9z4n8r6t0e --overlap 1h --save'),
    )
    .action(async (id: string, options: Keeping & { overlap?: number }, command: Command) => {
      const session = openSession(command)
      const body = options.overlap === undefined ? {} : { overlapSeconds: options.overlap }
      const rotated = await session
        .owner()
        .api.rotateCredential({ path: { id }, body })
        .catch(error => {
          throw lostAnswer(
            error,
            'The token may have been replaced: rotate it again to get one that is valid.',
          )
        })
      keep(session, rotated, options)
    })
}

/** Returns `revoke`, or `delete`, which hides the credential as well. */
function end(name: 'revoke' | 'delete'): Command {
  return new Command(name)
    .description(
      name === 'revoke'
        ? 'Revoke a credential immediately. Calls in flight finish normally.'
        : 'Revoke a credential immediately and hide it from the list.',
    )
    .argument('<id>', 'id of the credential')
    .addHelpText('after', examples(`$ farebox credentials ${name} cred_01kahd5w3xqv7m2c9z4n8r6t0e`))
    .action(async (id: string, _: object, command: Command) => {
      const session = openSession(command)
      const { api } = session.owner()
      const path = { id }
      const ended = await (name === 'revoke'
        ? api.revokeCredential({ path })
        : api.deleteCredential({ path }))
      if (session.isJson) printJson(ended)
      else note(`${name === 'revoke' ? 'Revoked' : 'Deleted'} ${ended.credentialId}.`)
    })
}

function limiting(command: Command): Command {
  return command
    .option('--credit-limit <usdc>', 'maximum spending per reset interval', readAmount)
    .option('--max-cost-per-call <usdc>', 'maximum cost of one call', readAmount)
    .option('--max-calls <count>', 'maximum number of calls', readCount(1, CALLS_MAX))
    .option('--rpm <count>', 'requests per minute', readCount(1, RPM_MAX))
    .addOption(new Option('--reset <interval>', 'when the credit limit resets').choices(INTERVALS))
    .option('--expires-in <duration>', 'such as 30m, 12h or 30d', readSeconds())
    .option('--allow <service>', 'a service that it may call; repeat for more; default: all', collect)
}

function keeping(command: Command): Command {
  return command
    .option('--token-file <file>', 'write the token to a file that only you may read')
    .option('--save', 'store the token in the profile: farebox invoke then uses it')
}

function limitsOf(options: Limits): NonNullable<InputOf<'updateCredential'>['body']> {
  const { creditLimit, maxCostPerCall, maxCalls, rpm, reset, expiresIn, allow } = options
  return {
    ...(creditLimit !== undefined && { creditLimit: formatUsdc(creditLimit) }),
    ...(maxCostPerCall !== undefined && { maxCostPerCallUsdc: formatUsdc(maxCostPerCall) }),
    ...(maxCalls !== undefined && { maxCalls }),
    ...(rpm !== undefined && { rpm }),
    ...(reset !== undefined && { resetInterval: reset }),
    ...(expiresIn !== undefined && { expiresInSec: expiresIn }),
    ...(allow !== undefined && { allowedServices: [...allow] }),
  }
}

/** Stores or prints a new token. One that cannot be stored is printed, as nobody else has it. */
function keep(session: Session, issued: Issued, { save, tokenFile }: Keeping): void {
  const { token, credential } = issued
  if (session.isJson) printJson(issued)
  try {
    if (save) writeProfile(session.profileName, { ...session.owner().profile, credential: token })
    if (tokenFile !== undefined) writePrivateFile(tokenFile, `${token}\n`)
  } catch (error) {
    note(`${credential.id} is valid, but its token could not be stored. It is on standard output.`)
    if (!session.isJson) print(token)
    throw error
  }
  if (session.isJson) return
  const { id, name, creditLimit, resetInterval, expiresAt } = credential
  const limit =
    creditLimit === null ? 'without a credit limit' : `${creditLimit} USDC (reset: ${resetInterval})`
  note(`${id} "${name}": ${limit}, expires: ${timeOf(expiresAt)}`)
  if (tokenFile !== undefined) note(`The token is in ${tokenFile}.`)
  else if (save) note(`The token is stored in the profile ${session.profileName}.`)
  else print(token)
}

/** Returns a failure of a request that is not repeatable, with a hint if it may have been carried out. */
function lostAnswer(error: unknown, hint: string): Error {
  return toFailure(error, isOutcomeOpen(error) ? [hint] : [])
}

type Spending = Pick<Listed, 'spentUsdc' | 'creditLimit' | 'callsUsed' | 'maxCalls'>

function spendingOf({ spentUsdc, creditLimit, callsUsed, maxCalls }: Spending): [string, string, string] {
  return [
    spentUsdc,
    creditLimit ?? 'none',
    maxCalls === null ? `${callsUsed}` : `${callsUsed} of ${maxCalls}`,
  ]
}

/** Returns a time in Unix seconds as ISO 8601. */
const timeOf = (seconds: number | null) =>
  seconds === null ? 'never' : new Date(seconds * 1_000).toISOString()
