import { z } from 'zod'
import type { Speed } from './pace.ts'

const setting = (absent: number, max: number) =>
  z.preprocess(text => (text === '' ? undefined : text), z.coerce.number().min(0).max(max).default(absent))
const speedIn = z.object({
  SAMPLE_LLM_TOKENS_PER_SECOND: setting(80, 1_000_000),
  SAMPLE_LLM_FIRST_TOKEN_MS: setting(200, 600_000),
})

/**
 * Reads the speed of the sample LLM of development mode from the environment: `SAMPLE_LLM_TOKENS_PER_SECOND` (default
 * 80; 0: unlimited) and `SAMPLE_LLM_FIRST_TOKEN_MS` (default 200). An empty value counts as absent.
 *
 * @throws Error naming the invalid setting
 */
export function readSpeed(environment: Readonly<Record<string, string | undefined>>): Speed {
  const { success, data, error } = speedIn.safeParse(environment)
  if (!success) {
    const [issue] = error.issues
    throw new Error(`${issue?.path.join('.')}: ${issue?.message}`)
  }
  return {
    tokensPerSecond: data.SAMPLE_LLM_TOKENS_PER_SECOND,
    firstTokenDelayMs: data.SAMPLE_LLM_FIRST_TOKEN_MS,
  }
}
