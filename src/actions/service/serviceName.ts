// How nodes name a service. The name is also that of its log in the package.
import * as z from 'zod';
import { RecipeError } from '../../evidence/recipeError.js';
import type { RunServices } from './runServices.js';
import type { Service } from './service.js';

export const serviceName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'must be up to 64 letters, digits and . _ -')
  .default('service');

export function requireService(services: RunServices, name: string): Service {
  const service = services.find(name);
  if (service) return service;
  const known = services.names.map((each) => JSON.stringify(each)).join(', ');
  const message = `No service ${JSON.stringify(name)} was started. ${known === '' ? 'Start it by service.start.' : `The services of this run are ${known}.`}`;
  throw new RecipeError('service.unknown', 'action', message);
}
