import { parseUsdc } from '@farebox/money'
import { MODEL_DESCRIPTION_LENGTH_MAX } from '@farebox/wire/compat'
import type { LlmDialect } from '@farebox/wire/model-kinds'
import type { Deps } from '../../ports.ts'
import type { Agent } from '../credentials/require-agent.ts'
import { type CallableEntry, listCallable, readCallableEntry } from '../services/list-callable.ts'
import { ABSENT, misfitOf, noSuchModel } from './read-model-call.ts'

/** Maximum number of listed models. OpenAI's list has no pages; further models can be found by search. */
const MODELS_MAX = 1_000
const PAGE_SIZE = 200
/** Maximum number of pages that are searched for models that the credential may call. */
const PAGES_MAX = 20

/** Decimals of a price per token: six of USDC, six of a million tokens. */
const DECIMALS = 12
const SHORT = new RegExp(`^.{0,${MODEL_DESCRIPTION_LENGTH_MAX}}`, 'su')

/** A service that is a model. */
export type ModelEntry = Extract<CallableEntry, { serviceKind: 'llm' }>

/** Returns the models of a dialect that a credential may call and that are available now, by name in byte order. */
export async function listModels(
  deps: Pick<Deps, 'db'>,
  query: { dialect: LlmDialect; agent: Agent },
): Promise<ModelEntry[]> {
  const { dialect, agent } = query
  const models: ModelEntry[] = []
  let afterKey: string | null = null
  for (let pages = 1; pages <= PAGES_MAX && models.length < MODELS_MAX; pages += 1) {
    const page = await listCallable(deps, { kind: 'llm', dialect, afterKey, limit: PAGE_SIZE })
    models.push(...page.services.filter(isModel).filter(entry => mayCall(agent, entry)))
    afterKey = page.nextKey
    if (afterKey === null) break
  }
  return models.slice(0, MODELS_MAX)
}

/**
 * Returns a model of a dialect, available or not.
 *
 * @param query.model agentToolName or service id
 * @throws GatewayError SERVICE_NOT_FOUND
 */
export async function findModel(
  deps: Pick<Deps, 'db'>,
  query: { dialect: LlmDialect; model: string },
): Promise<ModelEntry> {
  const { dialect, model } = query
  const entry = await readCallableEntry(deps, model)
  if (entry === null) throw noSuchModel(model, ABSENT)
  if (!isModel(entry)) throw noSuchModel(model, misfitOf(null, dialect) ?? '')
  const misfit = misfitOf(entry.llmDialect, dialect)
  if (misfit !== null) throw noSuchModel(model, misfit)
  return entry
}

/** Returns the members of a model that other model markets have: name, description, context and prices per token. */
export function marketFieldsOf(entry: ModelEntry) {
  const { serviceName, summary, description, contextTokens, cacheReadPricePer1M, cacheWritePricePer1M } =
    entry
  const prompt = perToken(entry.inputPricePer1MTokensUsdc)
  const [short = ''] = SHORT.exec(description === '' ? summary : description) ?? []
  return {
    name: serviceName,
    description: short,
    context_length: contextTokens,
    architecture: {
      input_modalities: entry.inputModalities,
      output_modalities: [entry.modelKind === 'embeddings' ? ('embeddings' as const) : ('text' as const)],
    },
    pricing: {
      prompt,
      completion: perToken(entry.outputPricePer1MTokensUsdc),
      input_cache_read: cacheReadPricePer1M === null ? prompt : perToken(cacheReadPricePer1M),
      input_cache_write: cacheWritePricePer1M === null ? prompt : perToken(cacheWritePricePer1M),
      request: '0',
    },
  }
}

/** Returns the price of a token from that of a million, as an exact decimal without trailing zeros. */
export function perToken(per1M: string): string {
  const digits = parseUsdc(per1M)
    .toString()
    .padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '')
  const whole = digits.slice(0, -DECIMALS)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

function isModel(entry: CallableEntry): entry is ModelEntry {
  return entry.serviceKind === 'llm'
}

function mayCall({ allowedServices }: Agent, { serviceId, agentToolName }: CallableEntry): boolean {
  return allowedServices === null || allowedServices.has(serviceId) || allowedServices.has(agentToolName)
}
