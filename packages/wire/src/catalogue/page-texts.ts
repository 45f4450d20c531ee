/** A text of a service in its prerendered page; `about` describes it to search engines and is never empty. */
export type PageText = 'serviceName' | 'summary' | 'description' | 'about'

/** Returns what stands for a text in the prerendered page of every service, until the gateway serves that of one. */
export const placeholderOf = (text: PageText): string => `{{${text}}}`

/** Every placeholder, with the name of its text. */
export const PLACEHOLDERS = /\{\{(serviceName|summary|description|about)\}\}/g
