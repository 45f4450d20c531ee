import { GatewayError } from '@farebox/wire/errors'
import { misreadingsOf } from '@farebox/wire/strict'

/** Maximum members of a request, and of each object in it whose names are compared with known ones. */
const MEMBERS_MAX = 1_000

/** Supported APIs of models, by the shape of their bodies. */
export type LlmShape = 'chat' | 'responses' | 'messages' | 'completions' | 'embeddings'

type Body = Readonly<Record<string, unknown>>

/**
 * Members that bound the output tokens, by shape; if absent, the first is written unless the model refuses it. Embeddings
 * have no output.
 */
export const LIMITS: Readonly<Record<LlmShape, readonly string[]>> = {
  chat: ['max_tokens', 'max_completion_tokens'],
  responses: ['max_output_tokens'],
  messages: ['max_tokens'],
  completions: ['max_tokens'],
  embeddings: [],
}
/** All names under which widely used servers take a bound on the output, or a number of choices. */
const BOUNDS = [
  ...Object.values(LIMITS).flat(),
  'max_new_tokens',
  'max_length',
  'max_tokens_to_sample',
  'max_tokens_to_generate',
  'tokens_to_generate',
  'max_gen_len',
  'max_gen_toks',
  'max_generated_tokens',
  'max_token_count',
  'maximum_tokens',
  'n_predict',
  'num_predict',
  'num_return_sequences',
  'candidate_count',
]
/** Objects in which servers take bounds and members of the body too; some prefer them to those of the body. */
const NESTS = [
  'extra_body',
  'options',
  'parameters',
  'sampling_params',
  'generation_config',
  'generationConfig',
  'inference_config',
  'inferenceConfig',
]
/** Members by which a proxy of models takes another one, or another provider of it. */
const ROUTES = [
  'models',
  'model_list',
  'fallbacks',
  'fallback_models',
  'context_window_fallbacks',
  'content_policy_fallbacks',
  'route',
  'preset',
  'provider',
  'providerOptions',
  'custom_llm_provider',
]
/** Members by which a provider serves a model at another price, and their values that cost no more. */
const TIERS: Readonly<Record<string, readonly unknown[]>> = {
  service_tier: ['auto', 'default', 'standard', 'standard_only', 'on_demand', 'flex'],
  speed: ['standard'],
  inference_geo: ['global'],
}
/** Members of any shape that are read or written. */
const READ = [
  'model',
  'stream',
  'stream_options',
  'background',
  'n',
  'best_of',
  'messages',
  'input',
  'prompt',
  'system',
  'instructions',
  'tools',
  'previous_response_id',
  'conversation',
  'data_sources',
]

/** Those that decide what a call costs; {@link checkRoutes} is about the model. */
const READ_IN_BODY = READ.filter(name => name !== 'model')

/**
 * Refuses members by which a provider could read another request than the gateway does: a bound of another API, a name
 * that is known but for its case, and in other objects what is read in the body only.
 *
 * @param isPinned true if the service sets the model: then also those that choose another one
 * @throws GatewayError INVALID_PAYLOAD that names the member
 */
export function checkMembers(given: Body, shape: LlmShape, isPinned: boolean): void {
  const own = LIMITS[shape]
  const { stream_options: options } = given
  refuseMisread(given, '', [...READ, ...NESTS, ...own])
  if (typeof options === 'object' && options !== null)
    refuseMisread(options, 'stream_options.', ['include_usage'])
  const hint = own.length === 0 ? '' : ` Bound the output by ${own.join(' or ')}.`
  const message = `Is not a member of this API.${hint}`
  refuseNamed(given, '', { names: BOUNDS.filter(name => !own.includes(name)), message })
  const elsewhere = {
    names: READ_IN_BODY,
    message: 'Is read in the body only. Send it there.',
    isTaken: asksNoMore,
  }
  for (const nest of NESTS) {
    refuseNamed(given[nest], `${nest}.`, { names: BOUNDS, message })
    refuseNamed(given[nest], `${nest}.`, elsewhere)
  }
  if (isPinned) checkRoutes(given)
}

/** Refuses members by which a caller chooses a dearer model than the one that the service sets and prices. */
function checkRoutes(given: Body): void {
  const names = [...ROUTES, ...Object.keys(TIERS)]
  const refused = { names, message: 'Is not accepted: the service sets the model.', isTaken: costsNoMore }
  refuseNamed(given, '', refused)
  for (const nest of NESTS) refuseNamed(given[nest], `${nest}.`, { ...refused, names: ['model', ...names] })
}

/** One choice is what the body asks for without a number. */
const asksNoMore = (_: string, value: unknown): boolean => value === null || value === 1

/** Clients send optional members as null. */
const costsNoMore = (name: string, value: unknown): boolean =>
  value === null || TIERS[name]?.includes(value) === true

function refuseMisread(value: object, path: string, names: readonly string[]): void {
  const meaningOf = misreadingsOf(names)
  for (const name of namesIn(value, path)) {
    const meant = meaningOf(name)
    if (meant !== undefined) throw invalid(`body.${path}${name}`, `Unknown member. Did you mean "${meant}"?`)
  }
}

function refuseNamed(
  value: unknown,
  path: string,
  refused: {
    names: readonly string[]
    message: string
    isTaken?: (name: string, value: unknown) => boolean
  },
): void {
  if (typeof value !== 'object' || value === null) return
  const { names, message, isTaken = () => false } = refused
  const meaningOf = misreadingsOf(names)
  for (const name of namesIn(value, path)) {
    const isKnown = names.includes(name)
    const isNamed = isKnown ? !isTaken(name, Reflect.get(value, name)) : meaningOf(name) !== undefined
    if (isNamed) throw invalid(`body.${path}${name}`, message)
  }
}

function namesIn(value: object, path: string): readonly string[] {
  const names = Object.keys(value)
  if (names.length <= MEMBERS_MAX) return names
  throw invalid(`body.${path}`.slice(0, -1), `Must have at most ${MEMBERS_MAX} members.`)
}

/** Returns the error for a part of a request, by its path in `payload`. */
export function invalid(path: string, message: string): GatewayError {
  const issues = [{ path: `payload.${path}`, message }]
  return new GatewayError('INVALID_PAYLOAD', { issues }, { message: `payload.${path}: ${message}` })
}
