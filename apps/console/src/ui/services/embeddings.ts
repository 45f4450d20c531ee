import type { LlmDialect, ModelKind } from '@farebox/wire/model-kinds'

/** The pricing of a service, as in the gateway's answers. */
export type Priced = {
  readonly pricing:
    | { readonly amount: string }
    | { readonly inputPricePer1MTokensUsdc: string; readonly outputPricePer1MTokensUsdc: string }
}

/** The kind of a service, as in the gateway's answers; only models have one. */
export type OfKind = { readonly serviceKind?: string; readonly modelKind?: ModelKind | undefined }

/** The request of a model of embeddings. */
const INPUT = {
  type: 'object',
  required: ['input'],
  properties: { input: { type: 'string', title: 'Input', example: 'Who pays the ferryman?' } },
}

/** Returns true for a model that makes vectors of its input, and has no output. */
export const isEmbeddings = ({ modelKind }: OfKind): boolean => modelKind === 'embeddings'

/** Returns the name of the API of a model. */
export const apiOf = ({ llmDialect, modelKind }: { llmDialect: LlmDialect; modelKind: ModelKind }): string =>
  llmDialect === 'anthropic' ? 'Anthropic' : modelKind === 'embeddings' ? 'OpenAI embeddings' : 'OpenAI'

/** Returns the arguments of a call, with the name of a model of embeddings: its API requires one. */
export function namingModel(
  service: OfKind & { readonly agentToolName: string },
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return isEmbeddings(service) ? { model: service.agentToolName, ...args } : args
}

/** Returns a model of embeddings with the schema of its request, for code and forms, if it states none. */
export function withInput<S extends { readonly request: Record<string, unknown> }>(service: S): S {
  return service.request.body === undefined ? { ...service, request: { body: INPUT } } : service
}
