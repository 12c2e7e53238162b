// Prints each decision of a strategy that is resumed from the file in the first argument, until the process is killed. The second
// argument is the address of the price reporter.
import { createClient } from 'svc-streams'
import { resume } from 'svc-streams/recording'
import { decision$ } from '../support/decisions.js'

const [file, priceWsUrl] = process.argv.slice(2) as [string, string]
const url = priceWsUrl.replace('ws', 'http')
const relayer = { baseUrl: url, unsigned: true } as const
const client = createClient({ environment: 'mainnet', ...relayer, priceBaseUrl: url, priceWsUrl })
resume(client, [file], decision$).subscribe((decision) => console.log(JSON.stringify(decision)))
