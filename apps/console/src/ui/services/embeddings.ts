/** The pricing of a service, as in the gateway's answers. */
export type Priced = {
  readonly pricing:
    | { readonly amount: string }
    | { readonly inputPricePer1MTokensUsdc: string; readonly outputPricePer1MTokensUsdc: string }
}

/** The request of a model of embeddings. */
const INPUT = {
  type: 'object',
  required: ['input'],
  properties: { input: { type: 'string', title: 'Input', example: 'Who pays the ferryman?' } },
}

/**
 * Returns true for a model that has no output to charge, as embeddings do not: only its input has a price. Nothing else
 * in the market tells them from other models.
 */
export function isEmbeddings({ pricing }: Priced): boolean {
  return (
    'inputPricePer1MTokensUsdc' in pricing &&
    Number(pricing.inputPricePer1MTokensUsdc) > 0 &&
    Number(pricing.outputPricePer1MTokensUsdc) === 0
  )
}

/** Returns the arguments of a call, with the name of a model of embeddings: its API requires one. */
export function namingModel(
  service: Priced & { readonly agentToolName: string },
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return isEmbeddings(service) ? { model: service.agentToolName, ...args } : args
}

/** Returns a model of embeddings with the schema of its request, for code and forms, if it states none. */
export function withInput<S extends { readonly request: Record<string, unknown> }>(service: S): S {
  return service.request.body === undefined ? { ...service, request: { body: INPUT } } : service
}
