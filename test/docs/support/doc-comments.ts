import { readPage, toBlock, type Block } from './block.js'

const end = /^ *\*(?:\/| @)/
const margin = /^ *\* ?/

/** The examples in the doc comments of a source file. */
export const examplesOfSource = (page: string): readonly Block[] => {
  const lines = readPage(page).split('\n')
  return lines.flatMap((line, index) => {
    if (!line.endsWith(' * @example')) return []
    const from = index + 1
    const length = lines.slice(from).findIndex((each) => end.test(each))
    const code = lines.slice(from, from + length).map((each) => each.replace(margin, ''))
    return [toBlock(page, from + 1, `${code.join('\n')}\n`)]
  })
}
