import { z } from 'zod'

/** Default requests per minute of a token. */
export const RPM_DEFAULT = 600
/** Maximum requests per minute of a token. */
export const RPM_MAX = 10_000_000

/** Requests per minute in a body. */
export const rpmIn = z.int().min(1).max(RPM_MAX)
