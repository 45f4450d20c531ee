/** An instruction of a Dockerfile, such as `COPY`, and what it says. */
export type Instruction = { readonly name: string; readonly text: string }

/** Returns the instructions of each stage; that of the image itself has no name, and is `image`. */
export function stagesOf(dockerfile: string): Map<string, Instruction[]> {
  const lines = dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
  const stages = new Map<string, Instruction[]>()
  let current: Instruction[] = []
  for (const line of lines.filter(each => each.trim() !== '')) {
    const [, name = '', text = ''] = /^\s*([A-Z]+) (.*)$/.exec(line) ?? []
    if (name !== 'FROM') {
      current.push({ name, text })
      continue
    }
    current = []
    stages.set(/ AS (\w+)$/.exec(text)?.[1] ?? 'image', current)
  }
  return stages
}
