variable "table_name" {
  description = "Table that has the signals."
  type        = string
}

variable "function_arn" {
  description = "ARN of the runtime's Lambda function, which the rules invoke."
  type        = string
}

variable "season_file" {
  description = "The products, as in data/season.json. Their dates must be in the future, and their cadences in minutes, hours or days."
  type        = string
  default     = "../data/season.json"
}

variable "every_minute" {
  description = "Shortens every cadence to one minute, so that nobody has to wait for five. The buckets keep their names."
  type        = bool
  default     = false
}
