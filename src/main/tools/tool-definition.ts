import type { ToolDefinition } from '../models/model';
import { NO_DEFER_TAG } from './command/tags';
import type { Tool } from './tool';

/** A tool as a model is told of it. Built-in tools and those that ask the operator are never behind the tool search. */
export function toolDefinition(tool: Tool): ToolDefinition {
  const { name, description, inputSchema, source, tags } = tool;
  const builtIn = source === 'computer' || source === 'human';
  return { name, description, inputSchema, deferrable: !builtIn && !tags.includes(NO_DEFER_TAG) };
}
