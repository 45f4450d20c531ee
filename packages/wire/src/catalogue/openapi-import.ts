import { z } from 'zod'
import { success, textOut } from '../common.ts'
import { strict } from '../strict.ts'
import { draftedManifest, draftNotes } from './authoring.ts'

/** Maximum length of an OpenAPI document, in UTF-16 code units; the limit of the request in bytes may be lower. */
const DOCUMENT_LENGTH_MAX = 1_000_000
/** Maximum number of operations in a document. */
const OPERATIONS_MAX = 1_000
/** Maximum number of operations that are drafted at once. */
const DRAFTS_MAX = 20
const OPERATION_LENGTH_MAX = 2_000
const URL_LENGTH_MAX = 2_000
const TEXT_LENGTH_MAX = 2_000

/** Body of `POST /services/parse-openapi`. */
export const parseOpenapiBody = strict({
  document: z.string().min(1).max(DOCUMENT_LENGTH_MAX).meta({
    description: 'An OpenAPI 3.0 or 3.1 document as JSON or YAML text, in one file. Nothing is fetched.',
    pattern: '[\\s\\S]*',
    example: '{"openapi":"3.1.0","info":{"title":"Pets","version":"1"},"paths":{}}',
  }),
  operations: z
    .array(z.string().min(1).max(OPERATION_LENGTH_MAX).meta({ pattern: '[\\s\\S]*' }))
    .max(DRAFTS_MAX)
    .default([])
    .meta({
      description: 'Operations to draft, as the answer lists them. None: they are listed only.',
      example: [],
    }),
  serverUrl: z
    .string()
    .max(URL_LENGTH_MAX)
    .regex(/^https?:\/\/[\x21-\x7e]+$/, 'Must be an absolute URL of http or https.')
    .nullish()
    .meta({ description: 'The server of the targets, instead of the first one of the document.' }),
})

/** Answer of `POST /services/parse-openapi`. */
export const parsedOpenapi = z.object({
  status: success,
  title: textOut(TEXT_LENGTH_MAX),
  operations: z
    .array(
      z.object({
        operation: textOut(OPERATION_LENGTH_MAX).meta({
          description: 'Method and path.',
          example: 'GET /pets/{id}',
        }),
        operationId: textOut(TEXT_LENGTH_MAX).nullable(),
        summary: textOut(TEXT_LENGTH_MAX),
        isDeprecated: z.boolean(),
        problem: textOut(TEXT_LENGTH_MAX)
          .nullable()
          .meta({ description: 'Why it cannot be drafted; null: it can.' }),
      }),
    )
    .max(OPERATIONS_MAX),
  drafts: z
    .array(z.object({ operation: textOut(OPERATION_LENGTH_MAX), manifest: draftedManifest, ...draftNotes }))
    .max(DRAFTS_MAX)
    .meta({
      description: 'One for each operation that was asked for, in that order. Nothing is registered.',
    }),
})
