import type { AnswerOf } from '@farebox/client'

type Service = AnswerOf<'readMarketService'>['service']

/** A service that costs so much a call. */
export type PricedApi = Extract<Service, { serviceKind: 'api' }>

/** A model, which is paid by the token. */
export type Model = Extract<Service, { serviceKind: 'llm' }>
