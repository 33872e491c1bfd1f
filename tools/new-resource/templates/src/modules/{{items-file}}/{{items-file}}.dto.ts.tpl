{{#write}}
import { IsInt, IsOptional, Min } from 'class-validator';
{{/write}}
import { Label } from '../../common/http';

export class Create{{Item}}Dto {
  @Label(200, 'first')
  name!: string;
}
{{#write}}

/** Changes to {{a item}}. Absent members do not change. */
export class Update{{Item}}Dto {
  @IsOptional()
  @Label(200, 'second')
  name?: string;

  /**
   * Version to change. If absent, any version is changed.
   * @example 1
   */
  @IsOptional()
  @Min(1)
  @IsInt()
  expectedVersion?: number;
}
{{/write}}
