import type { ModelFigures } from './model-parts.ts'
import type { PartResult } from './part.ts'
import { BUSY_CALLERS } from './verdict.ts'

/** Bars for the chart: calls of the model per second, beside others' where the numbers of callers are the same. */
export function modelChart({ llm }: ModelFigures): NonNullable<PartResult['chart']> {
  if (llm === null || llm.callers !== BUSY_CALLERS) return { perSecond: [], addedMs: [] }
  const note = `${llm.ratioToControl.median.toFixed(2)} × plain proxy`
  const bar = { name: 'Farebox, answers of a model', value: llm.llm.perSecond, note, isOurs: true }
  return { perSecond: [bar], addedMs: [] }
}
