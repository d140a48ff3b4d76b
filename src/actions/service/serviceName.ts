// The name by which nodes refer to a service. The log of the service in the package has the same name.
import * as z from 'zod';
import { RecipeError } from '../../evidence/recipeError.js';
import type { RunServices } from './runServices.js';
import type { Service } from './service.js';

export const serviceName = z
  .string()
  .regex(
    /^[A-Za-z0-9][\w.-]{0,63}$/,
    'must have at most 64 letters, digits, dots, hyphens and underscores, and must begin with a letter or digit',
  )
  .default('service');

export function requireService(services: RunServices, name: string): Service {
  const service = services.find(name);
  if (service) return service;
  const names = services.names.map((each) => JSON.stringify(each)).join(', ');
  const message = `No node has started a service ${JSON.stringify(name)}. ${names === '' ? 'Start the service with service.start.' : `The services of this run are ${names}.`}`;
  throw new RecipeError('service.unknown', 'action', message);
}
