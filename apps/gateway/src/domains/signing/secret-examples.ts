import { exampleId } from '@farebox/wire/common'

// Examples in the published contract.

const signingSecret = {
  keyId: exampleId('sig'),
  signsFrom: '2026-11-21T09:30:00.000Z',
  createdAt: '2026-11-21T09:30:00.000Z',
}
const next = {
  ...signingSecret,
  signsFrom: '2026-12-02T14:00:00.000Z',
  createdAt: '2026-12-01T14:00:00.000Z',
}
const secret = 'sigsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD/PeOUpMxWBs='

/** The first secret of a wallet. */
export const issued = { status: 'success', signingSecret, secret }

/** The next secret, after a rotation. */
export const rotated = { status: 'success', signingSecret: next, secret }
export const rotateBody = { overlapSeconds: 86_400 }

/** A wallet with a current and a next secret. */
export const shown = { status: 'success', signingSecret, next }

/** A deleted secret. */
export const deleted = { status: 'success', keyId: signingSecret.keyId }
