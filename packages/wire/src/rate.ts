import { z } from 'zod'

/** Requests per minute of a token when none are asked for. */
export const RPM_DEFAULT = 600
/** Most requests per minute that a token may be given. */
export const RPM_MAX = 10_000_000

/** Requests per minute as asked for. */
export const rpmIn = z.int().min(1).max(RPM_MAX)
