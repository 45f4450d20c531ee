import type { InputOf } from '@farebox/client'
import { pages } from '@farebox/client/paging'
import { Command, InvalidArgumentError, Option } from 'commander'
import { findService } from '../calls/find-service.ts'
import { openSession, type Session } from '../session.ts'
import { examples } from '../terminal/examples.ts'
import { note, printFacts, printJson, printTable } from '../terminal/output.ts'
import { readCount } from './read-options.ts'

type Query = NonNullable<InputOf<'listUsage'>['query']>
type Options = {
  readonly credential?: string
  readonly service?: string
  readonly status?: NonNullable<Query['status']>
  readonly from?: string
  readonly to?: string
  readonly limit: number
  readonly summary?: true
  readonly days: number
  readonly csv?: true
}

const STATUSES = ['PENDING', 'PROCESSING', 'SUCCEEDED', 'FAILED', 'FAILED_RETRYABLE', 'FAILED_FINAL']
const LIMIT_DEFAULT = 20
/** Maximum number of calls in one listing; a page of the gateway has 100. */
const LIMIT_MAX = 10_000
const PAGE_MAX = 100
const SERVICES_MAX = 100
const DAYS_DEFAULT = 30
const DAYS_MAX = 92

/** `farebox usage`. */
export function usageCommand(): Command {
  return new Command('usage')
    .description('List the calls of the credentials and their cost, newest first, or sum them up.')
    .option('--credential <id>', 'only calls of this credential')
    .option('--service <name>', 'only calls of this service')
    .addOption(new Option('--status <status>', 'only calls with this status').choices(STATUSES))
    .option('--from <time>', 'only calls from this time on, such as 2026-11-01', readTime)
    .option('--to <time>', 'only calls before this time', readTime)
    .option('--limit <count>', `how many, at most ${LIMIT_MAX}`, readCount(1, LIMIT_MAX), LIMIT_DEFAULT)
    .option('--summary', 'sums by service and credential instead')
    .option('--days <count>', 'days of the summary, today included', readCount(1, DAYS_MAX), DAYS_DEFAULT)
    .option('--csv', 'print one page of at most 100 calls as CSV')
    .addHelpText(
      'after',
      examples(
        '$ farebox usage --service weather --from 2026-11-01',
        '$ farebox usage --summary --days 7',
        "$ farebox usage --limit 1000 --json | jq '[.logs[].chargedUsdc | tonumber] | add'",
      ),
    )
    .action(async (options: Options, command: Command) => {
      const session = openSession(command)
      if (options.summary) await summarize(session, options.days)
      else if (options.csv) await printCsv(session, options)
      else await list(session, options)
    })
}

/** Returns the query of one page. */
function queryOf({ credential, service, status, from, to, limit }: Options): Query {
  return {
    limit: Math.min(limit, PAGE_MAX),
    ...(credential !== undefined && { credentialId: credential }),
    ...(service !== undefined && { serviceId: service }),
    ...(status !== undefined && { status }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  }
}

async function list(session: Session, options: Options): Promise<void> {
  const { api } = session.owner()
  const query = queryOf(options)
  const logs = []
  for await (const page of pages(cursor => api.listUsage({ query: { ...query, ...cursor } }))) {
    logs.push(...page.logs)
    if (logs.length >= options.limit) break
  }
  const shown = logs.slice(0, options.limit)
  if (session.isJson) printJson({ logs: shown })
  else if (shown.length === 0) {
    // Fails if there is no such service.
    if (options.service !== undefined) await findService(session, options.service)
    note('No matching calls.')
  } else {
    const nameOf = await readNames(session)
    printTable(
      ['STARTED', 'CALL', 'SERVICE', 'STATUS', 'CHARGED', 'TOKENS IN', 'OUT'],
      shown.map(each => [
        each.startedAt,
        each.invocationId,
        nameOf(each.serviceId),
        each.errorCode === null ? each.status : `${each.status} ${each.errorCode}`,
        each.chargedUsdc,
        each.inputTokens === null ? '' : String(each.inputTokens),
        each.outputTokens === null ? '' : String(each.outputTokens),
      ]),
    )
  }
}

/** Returns a function from the id of a service to its tool name. Deleted ones, and those after the first 100, keep the id. */
async function readNames(session: Session): Promise<(serviceId: string) => string> {
  const services = await session.visitor().discoverServices({ query: { limit: SERVICES_MAX } })
  const names = new Map(services.map(({ serviceId, agentToolName }) => [serviceId, agentToolName]))
  return serviceId => names.get(serviceId) ?? serviceId
}

async function printCsv(session: Session, options: Options): Promise<void> {
  const query = queryOf(options)
  const answer = await session.owner().api.raw('listUsage', { query, headers: { accept: 'text/csv' } })
  process.stdout.write(await answer.text())
}

async function summarize(session: Session, days: number): Promise<void> {
  const answer = await session.owner().api.readSpending({ query: { days } })
  if (session.isJson) {
    printJson(answer)
    return
  }
  const { total, byService, byCredential } = answer
  printFacts([
    ['Days', String(days)],
    ['Spent', `${total.spentUsdc} USDC`],
    ['Calls', `${total.calls}, of which ${total.failedCalls} failed and were not charged`],
  ])
  const nameOf = await readNames(session)
  const rows = [
    ...byService.map(each => ['service', nameOf(each.serviceId), each.spentUsdc, String(each.calls)]),
    ...byCredential.map(each => ['credential', each.credentialId, each.spentUsdc, String(each.calls)]),
  ]
  if (rows.length > 0) printTable(['BY', 'NAME OR ID', 'SPENT', 'CALLS'], rows)
}

/** Reads a time as ISO 8601, a date as its beginning in UTC. */
function readTime(text: string): string {
  const isTime = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text)
  const time = isTime ? new Date(text) : new Date(Number.NaN)
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('Use a date such as 2026-11-01, or a time such as 2026-11-01T12:00:00Z.')
  return time.toISOString()
}
