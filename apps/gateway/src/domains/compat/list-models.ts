import type { LlmDialect } from '@farebox/wire/llm-terms'
import type { Deps } from '../../ports.ts'
import type { Agent } from '../credentials/require-agent.ts'
import { type CallableEntry, listCallable, readCallableEntry } from '../services/list-callable.ts'
import { misfitOf, noSuchModel } from './read-model-call.ts'

/** Maximum number of listed models. OpenAI's list has no pages; further models can be found by search. */
const MODELS_MAX = 1_000
const PAGE_SIZE = 200
/** Maximum number of pages that are searched for models that the credential may call. */
const PAGES_MAX = 20

/** Returns the models of a dialect that a credential may call and that are available now, by name in byte order. */
export async function listModels(
  deps: Pick<Deps, 'db'>,
  query: { dialect: LlmDialect; agent: Agent },
): Promise<CallableEntry[]> {
  const { dialect, agent } = query
  const models: CallableEntry[] = []
  let afterKey: string | null = null
  for (let pages = 1; pages <= PAGES_MAX && models.length < MODELS_MAX; pages += 1) {
    const page = await listCallable(deps, { kind: 'llm', dialect, afterKey, limit: PAGE_SIZE })
    models.push(...page.services.filter(entry => mayCall(agent, entry)))
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
): Promise<CallableEntry> {
  const { dialect, model } = query
  const entry = await readCallableEntry(deps, model)
  if (entry === null) throw noSuchModel(model, 'does not exist.')
  const misfit = misfitOf(entry.serviceKind === 'llm' ? entry.llmDialect : null, dialect)
  if (misfit !== null) throw noSuchModel(model, misfit)
  return entry
}

function mayCall({ allowedServices }: Agent, { serviceId, agentToolName }: CallableEntry): boolean {
  return allowedServices === null || allowedServices.has(serviceId) || allowedServices.has(agentToolName)
}
