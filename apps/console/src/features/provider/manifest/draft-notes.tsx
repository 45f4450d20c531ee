import type { AnswerOf } from '@farebox/client'
import { Notice } from '../../../ui/feedback/states.tsx'

/** Lists the parts of a drafted manifest to review, and those that were left out. */
export function DraftNotes({
  warnings,
  unsupported,
}: Pick<AnswerOf<'draftService'>, 'warnings' | 'unsupported'>) {
  if (warnings.length + unsupported.length === 0) return null
  return (
    <Notice tone="warn">
      <ul className="flex flex-col gap-1.5">
        {warnings.map(({ path, message }) => (
          <li key={`${path}${message}`} className="break-words">
            <code className="font-mono text-xs">{path}</code> {message}
          </li>
        ))}
        {unsupported.map(({ option, message }) => (
          <li key={`${option}${message}`} className="break-words">
            Ignored <code className="font-mono text-xs">{option}</code>: {message}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
