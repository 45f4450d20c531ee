import { z } from 'zod'

// The page's policy forbids evaluating text. Must be imported before any schema is.
z.config({ jitless: true })
