import { z } from 'zod'
import { success, textOut } from '../common.ts'

/** Maximum length of a curl command, in UTF-16 code units. */
const CURL_LENGTH_MAX = 65_536
const NOTES_MAX = 500
const TEXT_LENGTH_MAX = 2_000
const PATH_LENGTH_MAX = 1_000

/** Body of `POST /services/parse-curl`. */
export const parseCurlBody = z.object({
  curlCommand: z.string().min(1).max(CURL_LENGTH_MAX).meta({
    description: 'A curl command as typed into a shell. It is parsed, never run.',
    pattern: '[\\s\\S]*',
    example: 'curl https://api.weather.example/v1/now -H \'X-Api-Key: 3f9c\' --json \'{"city":"Lisbon"}\'',
  }),
})

/** A drafted manifest. */
export const draftedManifest = z.record(z.string(), z.unknown()).meta({
  description: 'A body for `POST /services`, once a price is added. May contain secrets of its source.',
})

/** A remark on a draft for its provider. */
export const draftNotes = {
  warnings: z
    .array(z.object({ path: textOut(PATH_LENGTH_MAX), message: textOut(TEXT_LENGTH_MAX) }))
    .max(NOTES_MAX)
    .meta({ description: 'What to review before registering; `path` in the manifest.' }),
  unsupported: z
    .array(z.object({ option: textOut(PATH_LENGTH_MAX), message: textOut(TEXT_LENGTH_MAX) }))
    .max(NOTES_MAX)
    .meta({ description: 'What was left out, and why.' }),
}

/** Answer of `POST /services/parse-curl`. */
export const parsedCurl = z.object({ status: success, manifest: draftedManifest, ...draftNotes })

const guideText = textOut(TEXT_LENGTH_MAX)
const link = z.object({ method: z.enum(['GET', 'POST', 'PUT', 'DELETE']), path: guideText, what: guideText })

/** Answer of `GET /services/registration-guide`. */
export const registrationGuide = z.object({
  status: success,
  register: link.extend({ authentication: guideText }),
  requirements: z.array(guideText).max(20).meta({ description: 'Requirements for a service.' }),
  steps: z.array(guideText).max(20).meta({ description: 'Steps, in order.' }),
  fields: z
    .array(
      z.object({
        name: guideText,
        required: z.boolean(),
        description: guideText,
        schema: z
          .record(z.string(), z.unknown())
          .meta({ description: 'JSON Schema of the member, limits included.' }),
      }),
    )
    .max(100),
  manifestSchema: z
    .record(z.string(), z.unknown())
    .meta({ description: 'JSON Schema (draft 2020-12) of the whole manifest.' }),
  limits: z.record(z.string(), z.union([z.number().min(0), guideText])),
  examples: z.object({
    fixed: z.record(z.string(), z.unknown()),
    llm: z.record(z.string(), z.unknown()),
  }),
  health: z.object({
    rules: z.array(guideText).max(20),
    intervalSeconds: z.number().min(0).max(86_400),
    historyDays: z.int().min(1).max(365),
  }),
  calls: z.object({
    headers: z.array(z.object({ name: guideText, what: guideText })).max(20),
    rules: z.array(guideText).max(20),
  }),
  signatures: z.object({
    standard: guideText,
    algorithm: guideText,
    keys: z.url().max(2_048),
    covers: z.array(guideText).max(20),
    steps: z.array(guideText).max(20),
  }),
  nextSteps: z.array(link).max(20),
})
