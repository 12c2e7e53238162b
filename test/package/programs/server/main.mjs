import { receive } from './result.mjs'

const main = async () => console.log(JSON.stringify(await receive()))

void main()
