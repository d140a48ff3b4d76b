// The registry of analytics vendors: how to recognise their requests, and where a request names its event. URLs and parameters
// follow the MIT-licensed Omnibug providers and the documentation of the vendors.
import * as z from 'zod';

const googleAds = '/(?:conversion|viewthroughconversion|1p-conversion|1p-user-list)/(\\d+)';

export const vendors: readonly Vendor[] = [
  {
    vendor: 'ga4',
    match: ['^https?://[^/]+/g/collect(?:[/?#]|$)'],
    exclude: ['^https?://[^/]*(?:doubleclick\\.net|clarity\\.ms|transcend\\.io)/'],
    event: ['en'],
    account: ['tid'],
    isByLine: true,
  },
  {
    vendor: 'ua_legacy',
    match: ['^https?://(?:[^/]+\\.)?google-analytics\\.com/(?:[jr]/)?collect(?:[/?#]|$)'],
    event: ['t'],
    account: ['tid'],
  },
  { vendor: 'gtm', match: ['^https?://www\\.googletagmanager\\.com/gtm\\.js'], account: ['id'], isLoader: true },
  { vendor: 'gtag_loader', match: ['^https?://www\\.googletagmanager\\.com/gtag/js'], account: ['id'], isLoader: true },
  { vendor: 'meta', match: ['^https?://(?:www\\.)?facebook\\.com/tr(?:/|\\?|$)'], event: ['ev'], account: ['id'] },
  {
    vendor: 'tiktok',
    match: ['^https?://analytics\\.tiktok\\.com/api/v\\d+/(?:pixel|track)'],
    event: ['event'],
    account: ['context.pixel.code', 'pixel_code', 'sdkid'],
  },
  {
    vendor: 'tiktok_loader',
    match: ['^https?://analytics\\.tiktok\\.com/i18n/pixel/'],
    account: ['sdkid'],
    isLoader: true,
  },
  {
    vendor: 'linkedin',
    match: ['^https?://(?:px\\d*|dc)\\.ads\\.linkedin\\.com/(?:collect|wa|attribution_trigger)'],
    event: [{ from: 'conversionId', is: 'conversion' }],
    account: [{ from: 'pid', pattern: '^([^,]+)' }],
  },
  {
    vendor: 'google_ads',
    match: [
      '^https?://(?:www\\.)?googleadservices\\.com/pagead/conversion',
      '^https?://googleads\\.g\\.doubleclick\\.net/pagead/(?:viewthroughconversion|conversion)',
      '^https?://(?:www\\.)?google\\.[a-z.]+/(?:pagead/1p-(?:conversion|user-list)|ads/ga-audiences|ccm/collect)',
    ],
    event: ['en', { from: 'data', pattern: '(?:^|;)event=([^;]*)' }, { from: 'label', is: 'conversion' }],
    account: [{ from: 'url', pattern: googleAds, prefix: 'AW-', and: 'label' }],
  },
  {
    vendor: 'segment',
    match: ['^https?://api\\.segment\\.io/v1/', '^https?://[^/]+\\.segmentapis\\.com/v1/'],
    event: ['event', 'name', 'type'],
    account: ['writeKey', 'auth'],
  },
  {
    vendor: 'amplitude',
    match: ['^https?://api2?(?:\\.eu)?\\.amplitude\\.com/(?:2/httpapi|batch)'],
    event: ['event_type'],
    account: ['api_key'],
  },
  {
    vendor: 'mixpanel',
    match: ['^https?://(?:api|api-js|api-eu|api-in)\\.mixpanel\\.com/track'],
    event: ['event'],
    account: ['properties.token'],
  },
  {
    vendor: 'posthog',
    match: ['^https?://[^/]*posthog\\.com/(?:i/v0/e|e|capture|batch)/?(?:[?#]|$)'],
    event: ['event'],
    account: ['api_key', 'token', 'properties.token'],
  },
  { vendor: 'plausible', match: ['^https?://[^/]*plausible\\.io/api/event'], event: ['n'], account: ['d'] },
];

const nonEmptyString = z.string().min(1);
const regexSource = nonEmptyString.refine(isRegex, { error: 'a regular expression was expected' });

/** A parameter of the query or form, a path in the JSON body (`context.pixel.code`), `url` or `auth`. */
const readingModel = z.union([
  nonEmptyString,
  z.strictObject({
    from: nonEmptyString,
    pattern: regexSource.optional().describe('A regular expression whose first group is the value.'),
    is: nonEmptyString.optional().describe('The value to use when `from` has any value.'),
    prefix: nonEmptyString.optional(),
    and: nonEmptyString.optional().describe('Another value, which is added after a slash.'),
  }),
]);

/** An entry of the registry. Projects add their own. */
export const vendorModel = z.strictObject({
  vendor: nonEmptyString,
  match: z.array(regexSource).min(1).describe('Regular expressions that match the URL of a request.'),
  exclude: z.array(regexSource).optional(),
  event: z.array(readingModel).optional(),
  account: z.array(readingModel).optional(),
  isLoader: z.boolean().optional().describe('The request loads a script that the page needs, so it is never answered locally.'),
  isByLine: z.boolean().optional().describe('Each line of the body is a separate event. All events share the query.'),
});

type VendorInput = z.infer<typeof vendorModel>;

export type Reading = z.infer<typeof readingModel>;
export type Vendor = Readonly<Omit<VendorInput, 'match' | 'exclude' | 'event' | 'account'>> & {
  readonly match: readonly string[];
  readonly exclude?: readonly string[] | undefined;
  readonly event?: readonly Reading[] | undefined;
  readonly account?: readonly Reading[] | undefined;
};

function isRegex(source: string): boolean {
  try {
    return new RegExp(source, 'i') instanceof RegExp;
  } catch {
    // SyntaxError: not a regular expression.
    return false;
  }
}
