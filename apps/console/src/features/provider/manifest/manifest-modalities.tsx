import { INPUT_MODALITIES } from '@farebox/wire/model-kinds'
import { Checkbox } from '../../../ui/forms/field.tsx'
import { readAt, writeAt } from './manifest.ts'
import { useEditor } from './manifest-fields.tsx'

const LABELS = { text: 'Text', image: 'Images', audio: 'Audio', video: 'Video', file: 'Files' } as const

/** Input modalities of a model. None chosen: not stated. */
export function Modalities() {
  const { manifest, onChange } = useEditor()
  const given = readAt(manifest, 'inputModalities')
  const chosen: readonly unknown[] = Array.isArray(given) ? given : []
  const toggle = (name: string) => {
    const next = INPUT_MODALITIES.filter(each => chosen.includes(each) !== (each === name))
    onChange(writeAt(manifest, 'inputModalities', next.length === 0 ? undefined : next))
  }
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">Accepted input</legend>
      <div className="flex flex-wrap gap-x-4 gap-y-2">
        {INPUT_MODALITIES.map(name => (
          <Checkbox
            key={name}
            label={LABELS[name]}
            checked={chosen.includes(name)}
            onChange={() => toggle(name)}
          />
        ))}
      </div>
    </fieldset>
  )
}
