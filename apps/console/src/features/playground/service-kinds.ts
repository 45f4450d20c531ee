import type { AnswerOf } from '@farebox/client'

type Service = AnswerOf<'readMarketService'>['service']

/** A service with a price per call. */
export type PricedApi = Extract<Service, { serviceKind: 'api' }>

/** A model, priced per token. */
export type Model = Extract<Service, { serviceKind: 'llm' }>
