export type { ReceivedHeaders } from '../headers.ts'
export { Refusal, type RefusalReason } from './refusal.ts'
export {
  createVerifier,
  type Purpose,
  type ReceivedMessage,
  type Verified,
  type VerifyOptions,
} from './verifier.ts'
