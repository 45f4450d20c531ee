import type { AnswerOf, InputOf } from '@farebox/client'
import { Command, Option } from 'commander'
import { findService } from '../calls/find-service.ts'
import { openSession } from '../session.ts'
import { examples } from '../terminal/examples.ts'
import { nextCommand } from '../terminal/next-command.ts'
import { note, print, printFacts, printJson, printTable } from '../terminal/output.ts'
import { readCount } from './read-options.ts'

type Market = AnswerOf<'searchMarket'>
type Listed = Market['services'][number]
type Query = NonNullable<InputOf<'searchMarket'>['query']>
type Options = {
  readonly limit: number
  readonly kind?: 'api' | 'llm'
  readonly tag?: string
  readonly sort?: NonNullable<Query['sort']>
  readonly show?: true
}

const LIMIT_DEFAULT = 20
const LIMIT_MAX = 100
const SORTS = ['best_match', 'lowest_price', 'fastest', 'highest_reliability', 'newest']
const SUMMARY_WIDTH_MAX = 60

/** `farebox discover`. */
export function discoverCommand(): Command {
  return new Command('discover')
    .description('Find services. Needs no sign-in.')
    .argument('[words...]', 'text to search for; with --show the name or id of a service')
    .option('--limit <count>', `how many, at most ${LIMIT_MAX}`, readCount(1, LIMIT_MAX), LIMIT_DEFAULT)
    .addOption(new Option('--kind <kind>', 'priced per call, or per token').choices(['api', 'llm']))
    .option('--tag <tag>', 'a whole tag')
    .addOption(new Option('--sort <order>', 'order of the list').choices(SORTS))
    .option('--show', 'show one service: price, request, and how to call it')
    .addHelpText(
      'after',
      examples(
        '$ farebox discover weather forecast',
        '$ farebox discover --kind llm --sort lowest_price',
        '$ farebox discover --show weather',
        "$ farebox discover weather --json | jq -r '.services[].agentToolName'",
      ),
    )
    .action(async (words: string[], options: Options, command: Command) => {
      const session = openSession(command)
      if (options.show) {
        const shown = await findService(session, words.join(' '))
        return session.isJson ? printJson(shown) : describe(shown.service)
      }
      const { kind, tag, sort, limit } = options
      const query: Query = {
        pageSize: limit,
        ...(words.length > 0 && { q: words.join(' ') }),
        ...(kind !== undefined && { kind }),
        ...(tag !== undefined && { tag }),
        ...(sort !== undefined && { sort }),
      }
      const found = await session.visitor().searchMarket({ query })
      return session.isJson ? printJson(found) : list(found)
    })
}

function list({ services, pagination }: Market): void {
  if (services.length === 0) {
    note('No services found.')
    return
  }
  printTable(
    ['NAME', 'PRICE IN USDC', 'CALLABLE', 'SUMMARY'],
    services.map(service => [
      service.agentToolName,
      priceOf(service),
      service.runtimeAvailable ? 'yes' : 'no',
      shorten(service.summary.replaceAll(/\s+/g, ' ')),
    ]),
  )
  const others = pagination.total - services.length
  if (others > 0) note(`${others} more: --limit, or more words.`)
}

/** Cuts a summary at a word on a terminal; programs get the whole one. */
function shorten(summary: string): string {
  if (!process.stdout.isTTY || summary.length <= SUMMARY_WIDTH_MAX) return summary
  return `${summary.slice(0, SUMMARY_WIDTH_MAX).replace(/\s+\S*$/, '')} \u2026`
}

function describe(service: AnswerOf<'readMarketService'>['service']): void {
  printFacts([
    ['Name', `${service.agentToolName} (${service.serviceName}, ${service.serviceId})`],
    ['Kind', service.serviceKind === 'llm' ? `${service.modelKind} model` : 'API'],
    ['Price in USDC', priceOf(service)],
    ['Callable', service.runtimeAvailable ? 'yes' : 'no: no healthy target'],
    ['Provider verified', service.targetVerified ? 'yes' : 'no'],
    ['Summary', service.summary],
    ['Tags', service.tags.join(', ')],
  ])
  if (Object.keys(service.request).length > 0) print(`Request\n${JSON.stringify(service.request, null, 2)}`)
  const input = service.serviceKind === 'llm' ? `--prompt 'Hello'` : `--field name=value`
  note(`Call it: ${nextCommand(`invoke ${service.agentToolName} ${input}`)}`)
}

type Priced = Listed | AnswerOf<'readMarketService'>['service'] | AnswerOf<'listServices'>['services'][number]

/** Returns the price of a service: of a call, or of a million input and output tokens. */
export function priceOf(service: Priced): string {
  if (service.serviceKind === 'api') return `${service.pricing.amount} per call`
  const { inputPricePer1MTokensUsdc: input, outputPricePer1MTokensUsdc: output, modelKind } = service
  if (modelKind === 'embeddings' && Number(output) === 0) return `${input} per 1M tokens`
  return `${input} in, ${output} out per 1M tokens`
}
