export {
  type AnswerOf,
  type Bill,
  type Client,
  createClient,
  type EventStream,
  type InputOf,
  type OperationName,
  type RequestOptions,
  randomKey,
} from './client.ts'
export { type ErrorCode, type ErrorDetail, GatewayError, type LocalCode } from './errors.ts'
export type { ServerEvent } from './events.ts'
export { pages } from './paging.ts'
export {
  createOwner,
  type OwnerOptions,
  type SigningAccount,
  type SigningClient,
  signIn,
  type Wallet,
} from './sign-in.ts'
export { suggestServices } from './suggest-services.ts'
export type { ClientOptions } from './transport.ts'
