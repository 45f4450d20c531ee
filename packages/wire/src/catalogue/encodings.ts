import { z } from 'zod'

/** How the body of a call is sent to the targets. */
const ENCODINGS = ['json', 'form', 'multipart', 'text'] as const
/** One of {@link ENCODINGS}. */
export type Encoding = (typeof ENCODINGS)[number]

/** Content type of a `text` body, unless the manifest names another. */
export const TEXT_TYPE_DEFAULT = 'text/plain; charset=utf-8'

const CONTENT_TYPE_LENGTH_MAX = 200
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
/** A media type with parameters (RFC 9110, 8.3.1). */
const CONTENT_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?: ?; ?${TOKEN}=(?:${TOKEN}|"[ !#-\\[\\]-~]*"))*$`)

/** `invoke.contentType`: the content type of `text` bodies. */
export const contentTypeIn = z
  .string()
  .max(CONTENT_TYPE_LENGTH_MAX)
  .regex(CONTENT_TYPE, 'Must be a media type such as text/xml; charset=utf-8.')

/** `invoke.encoding`. */
export const encodingIn = z.enum(ENCODINGS)

/** Members of a service that say how the body of a call is sent. */
export const encodingOut = {
  encoding: z.enum(ENCODINGS).meta({
    description:
      '`json`: `payload.body` as JSON. `form`: its members as application/x-www-form-urlencoded. `multipart`: as parts of multipart/form-data, each a text or `{base64, filename?, contentType?}`. `text`: `payload.body` is a string, sent unchanged.',
  }),
  contentType: z
    .string()
    .max(CONTENT_TYPE_LENGTH_MAX)
    .regex(CONTENT_TYPE)
    .nullable()
    .meta({ description: 'Content type of `text` bodies; null: text/plain in UTF-8.' }),
}
