import { z } from 'zod'
import { labelIn, usdcIn } from './common.ts'
import { resetIntervalIn } from './intervals.ts'
import { rpmIn } from './rate.ts'

/** Most provider secrets that a wallet may have at a time. */
export const SECRETS_PER_WALLET_MAX = 100

/** Body of `POST /secrets/provider/issue`. A limit that is absent or null is not set; `rpm` is 600 then. */
export const issueSecretBody = z.object({
  name: labelIn,
  rpm: rpmIn.nullish(),
  creditLimit: usdcIn.nullish(),
  resetInterval: resetIntervalIn.nullish(),
})
/** {@link issueSecretBody} as read: `creditLimit` in micro-USDC. */
export type IssueSecretBody = z.output<typeof issueSecretBody>

/** Path of `DELETE /secrets/provider/:id`. */
export const secretParams = z.object({ id: z.string() })
