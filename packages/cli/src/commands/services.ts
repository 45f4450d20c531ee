import type { AnswerOf, InputOf } from '@farebox/client'
import { Command } from 'commander'
import { badInput } from '../failure.ts'
import { changesOf, type ManifestOptions, refusePlaceholders } from '../manifest.ts'
import { openSession, type Session } from '../session.ts'
import { examples } from '../terminal/examples.ts'
import { note, print, printFacts, printJson, printTable } from '../terminal/output.ts'
import { priceOf } from './discover.ts'
import { describing, readManifest } from './manifest-options.ts'
import { readCount } from './read-options.ts'

type Service = AnswerOf<'listServices'>['services'][number]
type Changes = InputOf<'updateService'>['body']

const LIST_MAX = 100

/** `farebox services`. */
export function servicesCommand(): Command {
  const command = new Command('services')
    .description('List, change, pause and delete the services that the wallet sells.')
    .addHelpText(
      'after',
      examples(
        '$ farebox services list',
        '$ farebox services update weather --price 0.02',
        '$ farebox services pause weather',
        '',
        'Every subcommand has --help. farebox register adds a service.',
      ),
    )
  for (const child of [list(), show(), update(), activate('pause'), activate('resume'), ping(), remove()])
    command.addCommand(child)
  return command
}

function list(): Command {
  return new Command('list')
    .description('List the services, newest first.')
    .option('--limit <count>', `how many, at most ${LIST_MAX}`, readCount(1, LIST_MAX), LIST_MAX)
    .addHelpText(
      'after',
      examples(
        '$ farebox services list',
        "$ farebox services list --json | jq -r '.services[] | [.agentToolName, .status] | @tsv'",
      ),
    )
    .action(async ({ limit }: { limit: number }, command: Command) => {
      const session = openSession(command)
      const page = await session.owner().api.listServices({ query: { limit } })
      if (session.isJson) return printJson(page)
      if (page.services.length === 0) return note('No services.')
      printTable(
        ['NAME', 'ID', 'STATUS', 'HEALTH', 'PRICE IN USDC'],
        page.services.map(service => [
          service.agentToolName,
          service.serviceId,
          service.status,
          service.health.overallStatus,
          priceOf(service),
        ]),
      )
      if (page.nextCursor !== null) note('More services exist.')
    })
}

function show(): Command {
  return named('show', 'Show a service and the health of its targets.')
    .addHelpText('after', examples('$ farebox services show weather'))
    .action(async (reference: string, _: object, command: Command) => {
      const session = openSession(command)
      const service = await readOwn(session, reference)
      if (session.isJson) return printJson({ service })
      printFacts([
        ['Name', `${service.agentToolName} (${service.serviceName}, ${service.serviceId})`],
        ['Status', service.status],
        ['Price in USDC', priceOf(service)],
        ...noticeOf(service).map(notice => ['Announced', notice] as const),
        ['Callable', service.runtimeAvailable ? 'yes' : 'no'],
        ...service.invoke.targets.map(
          ({ url, isHealthy }) => ['Target', `${url} ${isHealthy ? 'healthy' : 'unhealthy'}`] as const,
        ),
      ])
    })
}

function update(): Command {
  const command = named('update', 'Change a service. What is left out stays.').option(
    '--manifest <json>',
    'members to replace, each as a whole; @FILE reads a file, - standard input',
  )
  return describing(command)
    .addHelpText(
      'after',
      `\n--url, --header, --header-env and --tag replace all of their kind.\n${examples(
        '$ farebox services update weather --price 0.02',
        '$ farebox services update weather --url https://a.example/now --url https://b.example/now',
        '$ farebox services update weather --header-env Authorization=NEW_AUTHORIZATION',
        '$ farebox services update weather --manifest @weather.json',
      )}`,
    )
    .action(async (reference: string, options: ManifestOptions & { manifest?: string }, command: Command) => {
      const session = openSession(command)
      const given = readManifest(options.manifest)
      const service = await readOwn(session, reference)
      const body = changesOf(service, given, options)
      if (Object.keys(body).length === 0)
        throw badInput('Give something to change.', 'List it: farebox services update --help')
      refusePlaceholders(body, [])
      await change(session, service.serviceId, body as Changes)
    })
}

/** Returns `pause`, which ends new calls, or `resume`. */
function activate(name: 'pause' | 'resume'): Command {
  return named(
    name,
    name === 'pause' ? 'Stop offering a service. Calls in flight finish normally.' : 'Offer a service again.',
  )
    .addHelpText('after', examples(`$ farebox services ${name} weather`))
    .action((reference: string, _: object, command: Command) =>
      change(openSession(command), reference, { isActive: name === 'resume' }),
    )
}

function ping(): Command {
  return named('ping', 'Probe the targets of a service now.')
    .addHelpText('after', examples('$ farebox services ping weather'))
    .action(async (reference: string, _: object, command: Command) => {
      const session = openSession(command)
      const probed = await session.owner().api.pingService({ path: { id: reference } })
      if (session.isJson) return printJson(probed)
      printTable(
        ['TARGET', 'STATUS', 'HTTP', 'MS', 'REASON'],
        probed.targets.map(({ url, status, httpStatus, latencyMs, reason }) => [
          url,
          status,
          `${httpStatus ?? ''}`,
          `${latencyMs}`,
          reason ?? '',
        ]),
      )
    })
}

function remove(): Command {
  return named('delete', 'Delete a paused service for good. Its name stays taken.')
    .addHelpText('after', examples('$ farebox services pause weather', '$ farebox services delete weather'))
    .action(async (reference: string, _: object, command: Command) => {
      const session = openSession(command)
      const deleted = await session.owner().api.deleteService({ path: { id: reference } })
      if (session.isJson) printJson(deleted)
      else note(`Deleted ${deleted.serviceId}.`)
    })
}

const named = (name: string, description: string): Command =>
  new Command(name).description(description).argument('<service>', 'tool name or id of the service')

/** @throws Failure for a service of another wallet: only its owner sees all of it */
async function readOwn(session: Session, reference: string): Promise<Service> {
  const { service } = await session.owner().api.readService({ path: { id: reference } })
  if (!('health' in service)) throw badInput(`${reference} is a service of another wallet.`)
  return service
}

async function change(session: Session, reference: string, body: Changes): Promise<void> {
  const { service, ...answer } = await session.owner().api.updateService({ path: { id: reference }, body })
  if (session.isJson) return printJson({ ...answer, service })
  const { agentToolName, serviceId, status } = service
  print(`${agentToolName} ${serviceId} ${status}`)
  for (const notice of noticeOf(service)) note(notice)
}

/** Returns a sentence about a raise of prices that does not apply to all callers yet, if there is one. */
function noticeOf({ scheduledPricing: raise }: Pick<Service, 'scheduledPricing'>): string[] {
  if (raise == null) return []
  return 'amountUntilThen' in raise
    ? [`Callers that state no price pay ${raise.amountUntilThen} USDC until ${raise.effectiveAt}.`]
    : [`The higher prices apply from ${raise.effectiveAt} on.`]
}
