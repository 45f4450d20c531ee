import type { AnswerOf } from '@farebox/client'

/** Traffic of the provider's services, as the gateway counts it. */
export type Traffic = AnswerOf<'readTraffic'>
