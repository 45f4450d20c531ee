import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Tests that take long for the size of their files: browsers, several gateways, crashes, simulations, fuzzing. */
const LONG =
  /\/(?:lab\/chaos|apps\/console\/test|apps\/gateway\/test\/(?:several|faults|production|simulation|model|llm\/storm)|packages\/vault\/src\/fuzz)/

/**
 * Runs the long files of a project before its others, each in the order that vitest gives them: what runs last should be
 * short, since nothing else fills the other processors then.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId)
    const projects = [...new Set(sorted.map(({ project }) => project))]
    return projects.flatMap(project => {
      const own = sorted.filter(file => file.project === project)
      return [...own.filter(isLong), ...own.filter(file => !isLong(file))]
    })
  }
}
