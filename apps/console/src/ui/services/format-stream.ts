import { formatLimit } from '../values/format-measures.ts'

/** Formats the limits of a stream: `10 min at most, silent for 30 s`. */
export const formatStream = (stream: { streamMaxMs: number; streamIdleTimeoutMs: number }) =>
  `${formatLimit(stream.streamMaxMs)} at most, silent for ${formatLimit(stream.streamIdleTimeoutMs)}`
